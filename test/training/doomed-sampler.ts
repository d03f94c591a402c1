/** A sampler that starts well, and ends itself as soon as it is to play. */
process.on('message', ({ kind }: { readonly kind: string }) => {
  if (kind === 'open') process.send?.({ kind: 'ready' });
  else process.exit(7);
});

-- The hash chain of a run: one event per committed record, appended as the last statement of its transaction.

create table rsi.event (
  run_id bigint not null references rsi.run,
  seq bigint not null check (seq >= 1),
  kind text not null check (kind in ('run', 'record')),
  -- Canonical JSON; of a record: its place, its digest, the Merkle root over its rows.
  body text not null,
  prev bytea not null check (octet_length(prev) = 32),
  hash bytea not null check (octet_length(hash) = 32),
  record_id bigint,
  primary key (run_id, seq),
  unique (run_id, prev),
  unique (record_id),
  foreign key (record_id, run_id) references rsi.record (id, run_id),
  check ((kind = 'record') = (record_id is not null))
);

-- hash = sha256(prev || seq as 8 bytes || kind || 0x00 || body); the first prev = sha256('rsi/v1/' || run id).
create function rsi.append_events(run bigint, kinds text[], bodies text[], records bigint[])
returns bigint language plpgsql as $$
declare
  s bigint; p bytea;
  seqs bigint[]; prevs bytea[]; hashes bytea[];
begin
  -- A statement of its own: the next one then sees what the former holder committed.
  perform pg_advisory_xact_lock(4711, run::int);
  select seq, hash into s, p from rsi.event where run_id = run order by seq desc limit 1;
  if not found then
    s := 0;
    p := sha256(convert_to('rsi/v1/' || run, 'UTF8'));
  end if;
  for i in 1 .. cardinality(kinds) loop
    s := s + 1;
    seqs[i] := s;
    prevs[i] := p;
    p := sha256(p || int8send(s) || convert_to(kinds[i], 'UTF8') || '\x00'::bytea || convert_to(bodies[i], 'UTF8'));
    hashes[i] := p;
  end loop;
  insert into rsi.event (run_id, seq, kind, body, prev, hash, record_id)
    select run, u.* from unnest(seqs, kinds, bodies, prevs, hashes, records) u;
  return s;
end $$;

/**
 * Text from a sandbox for a terminal: what an episode printed must not move the cursor or set the title of the window of
 * whoever reads about it. Control characters are shown as their pictures; line ends and tabs are the caller's.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? '\u2421' : '\ufffd';
  });
}

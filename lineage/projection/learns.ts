/**
 * Whether a record that names a group in this role learns from it; then every episode of the group must be of split
 * train. A role that is not listed does: an unknown role is held to the strictest rule. The same list stands in
 * migrations/000003_edges.sql, function rsi.learns.
 */
const LOOKS_ON = new Set(['policy', 'parent', 'reference', 'candidate', 'probe', 'episodes', 'candidates']);

export function learns(role: string): boolean {
  return !LOOKS_ON.has(role);
}

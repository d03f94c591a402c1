-- What people read. The views are the contract of docs/lineage.md; tables may change behind them.

create function rsi.padded(n int, width int) returns text immutable language sql
  return lpad(n::text, greatest(width, length(n::text)), '0');

-- "g002/s01/rollout/003-000": as contracts/run-store.ts names it.
create function rsi.place_name(r rsi.record) returns text stable language sql
  return format('g%s/s%s/%s/%s-%s', rsi.padded(r.generation, 3), rsi.padded(r.stage_index + 1, 2), r.step,
    rsi.padded(r.iteration, 3), rsi.padded(r.group_index, 3));

create view rsi.stored as
  select r.run_id, r.id as record_id, e.seq, r.generation, r.stage_index, r.step, r.iteration, r.group_index, r.kind,
    rsi.place_name(r) as place,
    encode(r.digest, 'hex') as digest, r.body::json as body, r.written_at
  from rsi.record r join rsi.event e on e.record_id = r.id;

create view rsi.stage as
  select run_id, generation, stage_index, count(*)::int as records, sum((body ->> 'seconds')::float8) as seconds,
    min(seq) as first_seq, max(seq) as last_seq, array_agg(distinct kind) as kinds
  from rsi.stored group by run_id, generation, stage_index;

create view rsi.generation as
  select s.run_id, s.generation, count(*)::int as records, max((s.body ->> 'elapsed')::float8) as elapsed,
    bool_or((p.body -> 'content' -> 'decision' ->> 'promoted')::boolean) as promoted,
    max(p.body -> 'content' -> 'decision' ->> 'reason') as reason,
    max((p.body -> 'content' -> 'state' ->> 'generation')::int) as goes_on_from
  from rsi.stored s
  left join rsi.stored p on p.record_id = s.record_id and p.kind = 'promotion'
  group by s.run_id, s.generation;

-- checkpoint <- what it was made from. Of two parents (an update of policy and critic at once) each has its own.
create view rsi.checkpoint_use as
  select c.id as checkpoint_id, u.ordinal, u.role, u.checkpoint_id as used_checkpoint_id, u.group_id as used_group_id
  from rsi.checkpoint c
  join rsi.record_use u on u.record_id = c.record_id
  left join rsi.checkpoint p on p.id = u.checkpoint_id
  where u.role <> 'parent' or p.role = c.role or not exists (
    select from rsi.record_use o join rsi.checkpoint q on q.id = o.checkpoint_id
    where o.record_id = c.record_id and o.role = 'parent' and q.role = c.role);

-- checkpoint <- trajectory: what it may have learned from. Exact for accepted rewrites and for whole groups (episodes
-- without a verdict teach nothing); an upper bound for 'originals' and 'replay', of which the round draws some.
create view rsi.lesson as
  select u.checkpoint_id, u.role, t.id as trajectory_id, t.group_id
  from rsi.checkpoint_use u
  join rsi.trajectory t on t.group_id = u.used_group_id
  where rsi.learns(u.role) and t.strict is not null
    and (u.role not in ('accepted', 'replay')
      or exists (select from rsi.rewrite w where w.child_id = t.id and w.accepted))
    and (u.role <> 'originals' or t.strict);

-- A trajectory as people ask for it: where it stands, who wrote it, how it ended, what became of it as a rewrite.
create view rsi.episode as
  select t.id, r.run_id, encode(t.digest, 'hex') as digest, rsi.place_name(r) as place, t.ordinal, t.purpose, t.split,
    k.family, encode(k.digest, 'hex') as task, encode(c.digest, 'hex') as policy, t.parent_id, t.mode,
    t.strict, t.progress, t.ended_by,
    (select count(*)::int from rsi.turn u where u.trajectory_id = t.id) as turns, w.accepted, w.gate
  from rsi.trajectory t
  join rsi.record r on r.id = t.group_id
  join rsi.task k on k.id = t.task_id
  left join rsi.checkpoint c on c.id = t.policy_id
  left join rsi.rewrite w on w.child_id = t.id;

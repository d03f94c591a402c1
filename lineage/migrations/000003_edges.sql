-- What was used to make what, and what was decided: uses, rewrites, calibrations, handoffs, evaluations.

-- Whether a record that names a group in this role learns from it. A role that is not listed here does: an unknown role
-- is held to the strictest rule.
create function rsi.learns(role text) returns boolean immutable language sql
  return role not in ('policy', 'parent', 'reference', 'candidate', 'probe', 'episodes', 'candidates');

create table rsi.record_use (
  record_id bigint not null references rsi.record,
  ordinal int not null,
  role text not null,
  checkpoint_id bigint references rsi.checkpoint,
  group_id bigint references rsi.episode_group,
  -- True where the group is learned from; the foreign key then asks for a learnable group.
  learns boolean generated always as (case when group_id is not null and rsi.learns(role) then true end) stored,
  primary key (record_id, ordinal),
  constraint record_use_exists check (num_nonnulls(checkpoint_id, group_id) = 1),
  constraint record_use_before check (group_id is null or group_id < record_id),
  constraint record_use_learns_from_train
    foreign key (group_id, learns) references rsi.episode_group (record_id, learnable)
);
create index record_use_checkpoint on rsi.record_use (checkpoint_id) where checkpoint_id is not null;
create index record_use_group on rsi.record_use (group_id) where group_id is not null;

-- A candidate of a rewrite round, accepted or not, with the gate that stopped it and what was measured.
create table rsi.rewrite (
  record_id bigint not null references rsi.record,
  ordinal int not null,
  child_id bigint not null references rsi.trajectory,
  parent_id bigint not null references rsi.trajectory,
  mode text not null check (mode in ('polish', 'repair')),
  accepted boolean not null,
  gate text,
  turn_delta float8 not null,
  token_delta float8 not null,
  failed_delta float8 not null,
  similarity float8 not null,
  -- All measured values, as canonical JSON.
  measures text not null,
  primary key (record_id, ordinal),
  unique (record_id, child_id),
  constraint rewrite_parent_before_child check (parent_id < child_id),
  constraint rewrite_gate_or_accepted check (accepted = (gate is null))
);
create index rewrite_child on rsi.rewrite (child_id);
create index rewrite_parent on rsi.rewrite (parent_id);

create table rsi.calibration (
  record_id bigint primary key references rsi.record,
  digest bytea not null check (octet_length(digest) = 32),
  episodes int not null,
  error_of_raw float8,
  error_of_former_maps float8,
  maps text not null
);

create table rsi.handoff (
  record_id bigint primary key references rsi.record,
  critic_id bigint not null references rsi.checkpoint,
  -- Null: a fresh critic was made.
  parent_id bigint references rsi.checkpoint,
  explained_variance_before float8,
  explained_variance_after float8,
  loss float8,
  constraint handoff_parent_before_critic check (parent_id < critic_id)
);

create table rsi.evaluation_outcome (
  record_id bigint not null references rsi.record,
  ordinal int not null,
  evaluation_set text not null,
  task_id bigint not null references rsi.task,
  -- Null: no verdict.
  state text check (state in ('none', 'partial', 'strict')),
  checks float8[] not null,
  progress float8 not null,
  turns int not null,
  action_tokens int not null,
  failed_commands int not null,
  primary key (record_id, ordinal)
);
create index evaluation_outcome_task on rsi.evaluation_outcome (task_id);

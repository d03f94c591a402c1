-- Runs, stored records and the files they refer to. Numbers inside (bigint), digests as names outside.
-- A migration that was applied is never edited: the runner compares digests.

create schema rsi;

create table rsi.migration (
  number int primary key,
  name text not null,
  digest bytea not null check (octet_length(digest) = 32),
  applied_at timestamptz not null default now()
);

create table rsi.run (
  id bigint generated always as identity primary key,
  -- Who claimed it: a workflow and its first execution (stable across retries, resets and continue-as-new); of a bare
  -- run ('local', name of its folder).
  workflow_id text not null check (workflow_id <> ''),
  first_execution_run_id text not null check (first_execution_run_id <> ''),
  -- Counts the runs of one workflow id, from 1.
  ordinal int not null check (ordinal >= 1),
  config_digest bytea not null check (octet_length(config_digest) = 32),
  seed bigint not null,
  claimed_at timestamptz not null default now(),
  unique (workflow_id, first_execution_run_id),
  unique (workflow_id, ordinal)
);

-- A lock, not lineage: the number of the attempt that may write. The only row that changes.
create table rsi.lease (
  run_id bigint primary key references rsi.run,
  number bigint not null default 0
);

-- Content-addressed files; the bytes lie in the blob folder.
create table rsi.blob (
  digest bytea primary key check (octet_length(digest) = 32),
  size bigint not null check (size >= 0)
);

-- What a stage stored at a place, once. `body` is the whole record as canonical JSON (RFC 8785): what is hashed.
create table rsi.record (
  id bigint generated always as identity primary key,
  run_id bigint not null references rsi.run,
  generation int not null,
  stage_index int not null,
  step text not null,
  iteration int not null,
  group_index int not null,
  kind text not null,
  body text not null,
  digest bytea not null check (octet_length(digest) = 32),
  content_digest bytea not null check (octet_length(content_digest) = 32),
  written_at timestamptz not null default now(),
  unique (run_id, generation, stage_index, step, iteration, group_index),
  unique (id, run_id)
);

create table rsi.record_blob (
  record_id bigint not null references rsi.record,
  ordinal int not null,
  digest bytea not null references rsi.blob,
  primary key (record_id, ordinal)
);
create index record_blob_digest on rsi.record_blob (digest);

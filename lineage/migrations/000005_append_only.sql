-- Lineage is added to, never changed. The triggers stop accidents, whoever connects; the role stops a worker. Neither
-- stops the owner of the tables or a superuser: that is what the chain, published outside, is for (docs/lineage.md).

create function rsi.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'lineage is append-only: % on rsi.% refused', tg_op, tg_table_name using errcode = 'restrict_violation';
end $$;

do $$
declare t text;
begin
  for t in select table_name from information_schema.tables
    where table_schema = 'rsi' and table_type = 'BASE TABLE' and table_name not in ('lease', 'migration') loop
    execute format('create trigger no_change before update or delete on rsi.%I
      for each row execute function rsi.refuse_change()', t);
    execute format('create trigger no_truncate before truncate on rsi.%I
      for each statement execute function rsi.refuse_change()', t);
  end loop;
end $$;

-- Roles belong to the server, not to the database: another database may have made it already, or at this moment.
do $$
begin
  create role rsi_app nologin;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then raise notice 'role rsi_app not made: no right to create roles';
end $$;

do $$
begin
  if exists (select from pg_roles where rolname = 'rsi_app') then
    grant usage on schema rsi to rsi_app;
    grant select, insert on all tables in schema rsi to rsi_app;
    revoke insert on rsi.migration from rsi_app;
    grant update on rsi.lease to rsi_app;
    grant usage on all sequences in schema rsi to rsi_app;
    alter default privileges in schema rsi grant select, insert on tables to rsi_app;
    alter default privileges in schema rsi grant usage on sequences to rsi_app;
  end if;
end $$;

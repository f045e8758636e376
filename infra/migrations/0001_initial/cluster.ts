/** The cluster: the alarms of actors, the runners and their shard locks, and the secret that all processes share. */
export default [
  // Written in the transaction of each change that an actor's clock follows from: the next wake-up time of each actor that has
  // one, so one row for each at most. The alarm of a deleted actor is removed when it fires.
  `create table alarms (
    kind text not null,
    id text not null,
    workspace_id text not null,
    due_at timestamptz not null,
    primary key (kind, id)
  )`,
  `create index on alarms (due_at)`,
  // Due alarms are found by workspace, so that no workspace waits for another's.
  `create index alarms_of_workspaces on alarms (kind, workspace_id, due_at)`,

  // Written by each runner as it starts and every few seconds; deleted as it stops, or by another once it is silent.
  `create table cluster_runners (
    machine_id serial primary key,
    address varchar(255) not null unique,
    runner text not null,
    healthy boolean not null default true,
    last_heartbeat timestamptz not null default now()
  )`,
  // Written by the runner that holds a shard, every few seconds: one row for each shard.
  `create table cluster_locks (
    shard_id varchar(50) primary key,
    address varchar(255) not null,
    acquired_at timestamptz not null
  )`,

  // Written by the first process: one row, a text sealed with the secret of the deployment, by which a process sees whether it
  // was given the same one.
  `create table secret_check (
    only_row boolean primary key default true check (only_row),
    sealed text not null,
    created_at timestamptz not null default now()
  )`
]

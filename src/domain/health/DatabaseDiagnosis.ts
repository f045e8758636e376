/** The meaning of what a PostgreSQL server says about itself, for the operator who runs it. */
import { counted } from "../tools/text/Counted.ts"
import { failed, orFine, type Seen, warning } from "./Diagnosis.ts"

export interface DatabaseFacts {
  /** `pg_is_in_recovery`. */
  /** Connections that users without special rights can have together. */
  readonly connections: number
  /** Connections that are taken, and how many of them by this program. */
  readonly taken: number
  readonly ours: number
  /** The limits of the user and of the database; -1 is none. */
  readonly userLimit: number
  readonly databaseLimit: number
  /** Null if no schema of the search path exists. */
  readonly schema: string | null
  readonly mayCreate: boolean
  /** Tables of the program in which this user may not read and write. */
  readonly lockedTables: number
  readonly synchronousCommit: string
  readonly fsync: string
  readonly fullPageWrites: string
  readonly autovacuum: string
  /** Transactions since the oldest row was frozen. At 2,000 million the server stops. */
  readonly freezeAge: number
  /** Seconds since the start of the oldest transaction that another session keeps open; null if there is none. */
  readonly oldestTransactionSec: number | null
  /** Standbys that receive the log now, and those for which commits wait. */
  readonly standbys: number
  readonly synchronousStandbys: string
}

export interface ReplicationSlot {
  readonly name: string
  readonly isActive: boolean
  /** `reserved`, `extended`, `unreserved` or `lost`; empty if the server does not say. */
  readonly walStatus: string
  /** The log that the server keeps for it. */
  readonly bytes: number
}

/** Connections of one process beside its pool: two for notifications, one for the list of runners, one for a runner's address. */
export const besidePool = 4

const gigabytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GB`

export const rightsSeen = ({ lockedTables, mayCreate, schema }: DatabaseFacts): ReadonlyArray<Seen> => {
  if (schema === null) {
    return [failed("No schema of the user's search path exists", "Create the schema public, or set the user's search_path.")]
  }
  const wrong = [
    ...(mayCreate ? [] : [failed(
      `The user may not create tables in the schema ${schema}`,
      `Grant it: grant usage, create on schema ${schema} to <user>. Migrations and the tables of each day need it.`
    )]),
    ...(lockedTables === 0 ? [] : [failed(
      `Tables of the schema ${schema} that the user may not read and write: ${lockedTables}`,
      "Connect as the user that owns the tables, or make this one their owner."
    )])
  ]
  return orFine(wrong, `The user may create tables in the schema ${schema}, and read and write those that exist`)
}

/** `pool` is DATABASE_POOL. */
export const connectionsSeen = (facts: DatabaseFacts, pool: number): ReadonlyArray<Seen> => {
  const limits = [facts.connections, facts.userLimit, facts.databaseLimit].filter((limit) => limit >= 0)
  const most = Math.min(...limits)
  const wanted = pool + besidePool
  const free = most - facts.taken
  const found =
    `${facts.taken} of ${most} connections are taken, ${facts.ours} of them by Belltower; a process needs up to ${wanted}`
  if (most < wanted) {
    return [failed(found, "Raise max_connections, or the limit of the user or database; or set DATABASE_POOL to less.")]
  }
  return free < wanted && facts.ours === 0
    ? [failed(found, "Raise max_connections, close what other programs keep open, or set DATABASE_POOL to less.")]
    : orFine(
      free < wanted
        ? [warning(found, "If all processes run already, this is their usual number. To add one, raise max_connections.")]
        : [],
      found
    )
}

export const durabilitySeen = (facts: DatabaseFacts): ReadonlyArray<Seen> => {
  const { fsync, fullPageWrites, standbys, synchronousCommit, synchronousStandbys } = facts
  const wrong = [
    ...(fsync === "on" ? [] : [failed("fsync is off", "Turn it on: a power failure destroys the database.")]),
    ...(fullPageWrites === "on"
      ? []
      : [warning("full_page_writes is off", "Turn it on, unless the file system writes whole pages.")]),
    ...(synchronousCommit === "off"
      ? [
        warning("synchronous_commit is off", "Turn it on: a crash loses states, pings and alerts that were acknowledged before.")
      ]
      : []),
    ...(synchronousStandbys !== "" && standbys === 0 && synchronousCommit !== "off" && synchronousCommit !== "local"
      ? [failed(
        `Commits wait for a standby (${synchronousStandbys}), and none is connected`,
        "Start the standby, or empty synchronous_standby_names until it is back."
      )]
      : [])
  ]
  const replication = standbys === 0 ? "no standby is connected" : `standbys connected: ${standbys}`
  return orFine(wrong, `Commits are durable (synchronous_commit ${synchronousCommit}); ${replication}`)
}

/** Beyond this, updates of busy tables leave rows that nobody can remove meanwhile. */
const longTransactionSec = 15 * 60
const highAge = 1_000_000_000

export const upkeepSeen = ({ autovacuum, freezeAge, oldestTransactionSec }: DatabaseFacts): ReadonlyArray<Seen> => {
  const oldest = Math.round((oldestTransactionSec ?? 0) / 60)
  const wrong = [
    ...(autovacuum === "on" ? [] : [failed("autovacuum is off", "Turn it on: tables grow, and the server stops in the end.")]),
    ...(freezeAge < highAge ? [] : [failed(
      `The oldest row was frozen ${Math.round(freezeAge / 1e6)} million transactions ago; the server stops at 2,000`,
      "Find out why autovacuum does not get through (long transactions, slots, prepared transactions), and run vacuum freeze."
    )]),
    ...(oldest * 60 < longTransactionSec ? [] : [warning(
      `A transaction has been open for ${counted(oldest, "minute")}`,
      "Find it in pg_stat_activity by xact_start, and end it: until then, no deleted row is removed from any table."
    )])
  ]
  return orFine(wrong, "autovacuum is on, and no transaction holds it up")
}

const mostIdleBytes = 2 ** 30
const mostActiveBytes = 16 * 2 ** 30

export const slotsSeen = (slots: ReadonlyArray<ReplicationSlot>): ReadonlyArray<Seen> =>
  orFine(
    slots.flatMap(({ bytes, isActive, name, walStatus }) => {
      if (walStatus === "lost") {
        return [warning(`The replication slot ${name} has lost its log`, "Build its standby again, and drop the slot.")]
      }
      return bytes < (isActive ? mostActiveBytes : mostIdleBytes) ? [] : [warning(
        `The replication slot ${name}${isActive ? "" : ", which nobody reads,"} holds ${gigabytes(bytes)} of log`,
        `Start its reader; or, if it is gone for good: select pg_drop_replication_slot('${name}'). Otherwise the disk fills up.`
      )]
    }),
    slots.length === 0 ? "No replication slot holds log" : `Replication slots: ${slots.length}; none holds much log`
  )

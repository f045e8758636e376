/** Failures that are the database server's or this process's, and not the statement's that met them. */

/** The fault, and the way out. */
export const readOnly = {
  fault: "The database is read-only, as a standby is",
  advice: "Point DATABASE_URL at the primary server."
}

export const readOnlyServer = `${readOnly.fault}. ${readOnly.advice}`

const noFiles = "This process has no file descriptors left. Raise its limit of open files (ulimit -n)"

/** By SQLSTATE (PostgreSQL, appendix A) or the system's error code: what is lacking and what to do, in one line for the operator. */
const troubles: ReadonlyMap<string, string> = new Map([
  ["25006", readOnlyServer],
  ["53100", "The disk of the database is full, so nothing new is stored. Free space on it, or enlarge it"],
  ["53200", "The database server is out of memory. Give it more, or lower its work_mem and shared_buffers"],
  ["53300", "The database server accepts no more connections. Raise its max_connections, or lower DATABASE_POOL"],
  ["58030", "The database server cannot read or write its files. Its log has the reason"],
  ["EMFILE", noFiles],
  ["ENFILE", noFiles]
])

/** The code of a commit that the server stored and its standby did not confirm: nobody knows whether it survives a failover. */
export const unconfirmed = "unconfirmed"

const unconfirmedText =
  "The standby of the database does not confirm commits in time. Start it, or take it out of synchronous_standby_names"

/** Failures to open another connection while those that are open work. */
export const lacksConnection = (code: string): boolean => code === "53300" || code === "EMFILE" || code === "ENFILE"

/** Work that fails is tried again within this time, ms, so a trouble that lasts is met again. */
const remembered = 10_000

export interface TroubleMemory {
  /** `now` is any steady clock, ms. Codes of other failures are ignored. */
  readonly note: (code: string, now: number) => void
  /** The trouble that was met last, for as long as it counts; null without one. */
  readonly current: (now: number) => string | null
}

export const makeTroubleMemory = (): TroubleMemory => {
  let last: { readonly text: string; readonly at: number } | null = null
  return {
    note: (code, now) => {
      const text = code === unconfirmed ? unconfirmedText : troubles.get(code)
      if (text !== undefined) last = { text, at: now }
    },
    current: (now) => last !== null && now - last.at < remembered ? last.text : null
  }
}

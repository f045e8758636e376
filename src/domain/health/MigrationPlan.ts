/** Plans the migrations that a version still has to run on a database, or refuses a database that it must not use. */

/** A migration of this version. The checksum is that of its statements. */
export interface KnownMigration {
  /** Its number and name, such as `0013_delivery_queues`. */
  readonly name: string
  readonly checksum: string
}

/** A migration that a database has had. */
export interface AppliedMigration extends KnownMigration {
  /** The newest migration of the version that applied it. */
  readonly appliedBy: string
}

export type MigrationPlan =
  | {
    readonly _tag: "Proceed"
    /** In the order of their numbers. */
    readonly pending: ReadonlyArray<string>
    /** For the operator; null if there is none. */
    readonly warning: string | null
  }
  | { readonly _tag: "Refuse"; readonly message: string }

const newerVersion = "This database was migrated by a newer version of Belltower"

/** The version before an upgrade must run until that is over: it accepts unknown migrations of one version, not of a second one. */
const isOneUpgrade = (unknown: ReadonlyArray<AppliedMigration>, ours: ReadonlyArray<AppliedMigration>): boolean => {
  const upgrade = unknown[0]?.appliedBy
  return unknown.every(({ appliedBy }) => appliedBy === upgrade) &&
    ours.every(({ appliedBy }) => appliedBy !== upgrade)
}

/** Compares names and checksums, not the newest number: when branches are merged, versions get lower numbers later, and apply them. */
export const planMigrations = (known: ReadonlyArray<KnownMigration>, applied: ReadonlyArray<AppliedMigration>): MigrationPlan => {
  const checksums = new Map(known.map(({ checksum, name }) => [name, checksum]))
  const changed = applied.filter(({ checksum, name }) => {
    const ours = checksums.get(name)
    return ours !== undefined && checksum !== ours
  })
  if (changed.length > 0) {
    return refuse(
      `This database was migrated by another build of Belltower: its ${namesOf(changed)} had other statements. ` +
        "Install the build that migrated it, or restore the original migration."
    )
  }
  const had = new Set(applied.map(({ name }) => name))
  const pending = known.map(({ name }) => name).filter((name) => !had.has(name)).sort()
  const unknown = applied.filter(({ name }) => !checksums.has(name))
  const ours = applied.filter(({ name }) => checksums.has(name))
  if (unknown.length > 0 && (pending.length > 0 || !isOneUpgrade(unknown, ours))) {
    return refuse(
      `${newerVersion}, which applied ${namesOf(unknown)}. ` +
        "Install that version or a newer one, or restore a backup from before the upgrade."
    )
  }
  return {
    _tag: "Proceed",
    pending,
    warning: unknown.length === 0
      ? null
      : `${newerVersion}, which applied ${namesOf(unknown)}. This version can run beside it during an upgrade; replace it soon.`
  }
}

const refuse = (message: string): MigrationPlan => ({ _tag: "Refuse", message })

/** The names of a message, which stays one line. */
const mostNames = 3

const namesOf = (migrations: ReadonlyArray<{ readonly name: string }>): string => {
  const shown = migrations.slice(0, mostNames).map(({ name }) => name).join(", ")
  return migrations.length > mostNames ? `${shown} and ${migrations.length - mostNames} more` : shown
}

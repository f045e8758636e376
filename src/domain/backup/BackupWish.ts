/** The arguments of the commands about backups. */
import { Either } from "effect"

interface Words {
  /** Words that are no option. */
  readonly plain: ReadonlyArray<string>
  readonly flags: ReadonlySet<string>
  readonly values: ReadonlyMap<string, string>
}

/** Null if an option is unknown, or lacks its value. */
const readWords = (words: ReadonlyArray<string>, flags: ReadonlyArray<string>, valued: ReadonlyArray<string>): Words | null => {
  const plain: Array<string> = []
  const given = new Set<string>()
  const values = new Map<string, string>()
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    if (!word.startsWith("--")) plain.push(word)
    else if (flags.includes(word)) given.add(word)
    else {
      const value = words[++at]
      if (!valued.includes(word) || value === undefined) return null
      values.set(word, value)
    }
  }
  return { plain, flags: given, values }
}

export interface BackupWish {
  readonly path: string
  /** Whether the file is not encrypted. */
  readonly isPlain: boolean
}

export const backupUsage = "Usage: belltower backup <file> [--plain]"

export const readBackupWish = (words: ReadonlyArray<string>): Either.Either<BackupWish, string> => {
  const found = readWords(words, ["--plain"], [])
  const [path, ...more] = found?.plain ?? []
  return found === null || path === undefined || more.length > 0
    ? Either.left(backupUsage)
    : Either.right({ path, isPlain: found.flags.has("--plain") })
}

/** How the database is filled. */
export interface FillWish {
  /** Whether what it holds is removed. */
  readonly replaces: boolean
  /** Whether the brokers are others than those that the offsets are of. */
  readonly hasNewBrokers: boolean
}

export type RestoreWish =
  | { readonly _tag: "Verify"; readonly path: string; readonly allowsPlain: boolean }
  /** The database was recovered by other means. */
  | { readonly _tag: "Recovered" }
  | FillWish & {
    readonly _tag: "Restore"
    readonly path: string
    readonly allowsPlain: boolean
    /** The address of the database, if it is not that of the settings. */
    readonly into: string | null
    /** Whether no process has run since the backup, so that what is due must be sent. */
    readonly isStill: boolean
  }

export const restoreUsage =
  "Usage: belltower restore <file> [--verify] [--into <url>] [--replace] [--plain] [--still] [--new-kafka], or belltower restore --recovered"

const restoreFlags = ["--verify", "--replace", "--plain", "--still", "--new-kafka", "--recovered"]

export const readRestoreWish = (words: ReadonlyArray<string>): Either.Either<RestoreWish, string> => {
  const found = readWords(words, restoreFlags, ["--into"])
  if (found === null) return Either.left(restoreUsage)
  const { flags, plain: [path, ...more], values } = found
  if (flags.has("--recovered")) return words.length === 1 ? Either.right({ _tag: "Recovered" }) : Either.left(restoreUsage)
  if (path === undefined || more.length > 0) return Either.left(restoreUsage)
  const allowsPlain = flags.has("--plain")
  if (flags.has("--verify")) return Either.right({ _tag: "Verify", path, allowsPlain })
  return Either.right({
    _tag: "Restore",
    path,
    allowsPlain,
    into: values.get("--into") ?? null,
    replaces: flags.has("--replace"),
    isStill: flags.has("--still"),
    hasNewBrokers: flags.has("--new-kafka")
  })
}

export interface MoveWish extends FillWish {
  /** An address, or `embedded`. */
  readonly to: string
}

export const moveUsage = "Usage: belltower move-database --to <url of a database, or embedded> [--replace] [--new-kafka]"

export const readMoveWish = (words: ReadonlyArray<string>): Either.Either<MoveWish, string> => {
  const found = readWords(words, ["--replace", "--new-kafka"], ["--to"])
  const to = found?.values.get("--to")
  return found === null || to === undefined || found.plain.length > 0
    ? Either.left(moveUsage)
    : Either.right({ to, replaces: found.flags.has("--replace"), hasNewBrokers: found.flags.has("--new-kafka") })
}

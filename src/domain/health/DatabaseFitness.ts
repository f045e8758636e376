/** The fitness of a PostgreSQL server, from what it says about itself, before anything is stored in it. */

/** The oldest major version with all that the statements use. */
const oldestMajor = 15

export interface ServerFacts {
  /** `server_version_num`: 150018 is 15.18. */
  readonly version: number
  /** `server_version`, for people. */
  readonly versionText: string
  readonly encoding: string
}

/** Why the server cannot be used and what to do, in one line; null if it can. */
export const serverRefusal = ({ encoding, version, versionText }: ServerFacts): string | null => {
  if (version < oldestMajor * 10_000) {
    return `PostgreSQL ${versionText} is too old: Belltower needs version ${oldestMajor} or newer. ` +
      "Upgrade the server, or point DATABASE_URL at a newer one."
  }
  if (encoding !== "UTF8") {
    return `The database has the encoding ${encoding}, which cannot store all texts. ` +
      "Create one with the encoding UTF8 (createdb --encoding UTF8 --template template0), and name it in DATABASE_URL."
  }
  return null
}

/** The fault of such a pooler, and the way out. */
export const transactionPooler = {
  fault:
    "DATABASE_URL leads to a pooler that shares connections between transactions, so notifications, locks and time limits are lost",
  advice: "Use the pooler's session mode (PgBouncer: pool_mode = session), or connect to PostgreSQL directly."
}

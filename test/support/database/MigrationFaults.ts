/** What a migration must not do to a table that a release before has filled: hold it up, rewrite it, or take away what is used. */
import { programVersion } from "../../../schema/ProgramVersion.ts"

interface MigrationText {
  /** Its statements, laid out with single spaces. */
  readonly statements: ReadonlyArray<string>
  /** It is an `OutsideTransaction`. */
  readonly isOutside: boolean
}

interface Rule {
  readonly of: RegExp
  /** A statement that matches this, too, is fine. */
  readonly except?: RegExp
  readonly says: string
}

const rewritten = "rewrites the table: add a column, write both, and fill it in batches"
const scanned =
  "reads the whole table under a lock: add it as \"not valid\", and validate it in a migration outside a transaction"
const indexed = "builds an index under a lock: build it concurrently in a migration outside a transaction"
const used =
  "takes away what the release before uses: do it one release later, with /* unused since <version> */ in the statement"
const batched = "changes many rows in one transaction: use a do block outside a transaction that commits after each limit of rows"

const inBatches = /^do \$\$.*\blimit\b.*\bcommit;/

/** The table of a statement is named by the group. */
const ofTable: ReadonlyArray<Rule> = [
  { of: /^alter table (?:only |if exists )*(\w+) .*\balter (?:column )?\w+ (?:set data )?type\b/, says: rewritten },
  { of: /^alter table (?:only |if exists )*(\w+) .*\bset (?:un)?logged|set tablespace|set access method/, says: rewritten },
  {
    of: /^alter table (?:only |if exists )*(\w+) .*\badd column .*\bdefault [^,]*?\w+\(/,
    except: /\bdefault now\(\)/,
    says: `${rewritten}, unless the default is a constant or now()`
  },
  {
    of: /^alter table (?:only |if exists )*(\w+) .*\badd column .*\b(?:generated|smallserial|serial|bigserial)\b/,
    says: rewritten
  },
  {
    of: /^alter table (?:only |if exists )*(\w+) .*\badd column (?:(?!default).)*\bnot null(?:(?!default).)*$/,
    says: "fails where there are rows, and for rows of the release before: give it a default"
  },
  { of: /^alter table (?:only |if exists )*(\w+) .*\badd column .*\b(?:references|check)\b/, says: scanned },
  { of: /^alter table (?:only |if exists )*(\w+) .*\badd column .*\b(?:unique|primary key)\b/, says: indexed },
  { of: /^alter table (?:only |if exists )*(\w+) .*\bset not null\b/, says: scanned },
  {
    of: /^alter table (?:only |if exists )*(\w+) add (?:constraint \w+ )?(?:unique|primary key|exclude)\b/,
    except: /\busing index\b/,
    says: indexed
  },
  {
    of: /^alter table (?:only |if exists )*(\w+) add (?:constraint \w+ )?(?:check|foreign key)\b/,
    except: /\bnot valid\b/,
    says: scanned
  },
  { of: /^create (?:unique )?index (?!concurrently).*?\bon (?:only )?(\w+)/, says: indexed },
  { of: /^(?:with .* )?update (\w+) /, says: batched },
  { of: /^(?:with .* )?delete from (\w+)/, says: batched },
  { of: /^(?:with .* )?insert into \w+ .*\bselect\b.*\bfrom (\w+)/, says: batched },
  { of: /^do \$\$.*\b(?:update|delete from|from) (\w+)\b/, except: inBatches, says: batched },
  { of: /^alter table (?:only |if exists )*(\w+) .*\bdrop (?:column )?(?!constraint|not null|default)\w+/, says: used },
  { of: /^alter table (?:only |if exists )*(\w+) rename\b/, says: used },
  { of: /^drop table (?:if exists )?(\w+)/, says: used },
  { of: /^(?:truncate|cluster|vacuum full|reindex)\b(?!.*concurrently).*\b(\w+)$/, says: "holds the table up" },
  { of: /^lock table (\w+)(?: in access exclusive|$)/, says: "holds up readers of the table" }
]

const timeouts = /\b(?:lock|statement)_timeout\b/
const unused = /\/\* unused since (\S+) \*\//
const createdTable = /^create (?:unlogged )?table (?:if not exists )?(\w+)/

export const tablesOf = (statements: ReadonlyArray<string>): ReadonlyArray<string> =>
  statements.flatMap((text) => createdTable.exec(text)?.[1] ?? [])

const isUnused = (text: string): boolean => {
  const since = unused.exec(text)?.[1]
  return since !== undefined && since !== programVersion
}

const faultsOfStatement = (text: string, tables: ReadonlySet<string>): ReadonlyArray<string> =>
  ofTable.flatMap(({ except, of, says }) => {
    const table = of.exec(text)?.[1]
    if (table === undefined || !tables.has(table) || except?.test(text) === true) return []
    return says === used && isUnused(text) ? [] : [says]
  })

/** An index that an interrupted start has left is invalid, so it is dropped first. */
const faultsOfOrder = ({ isOutside, statements }: MigrationText): ReadonlyArray<string> =>
  statements.flatMap((text, index) => {
    const name = /^create (?:unique )?index concurrently (\w+)/.exec(text)?.[1]
    if (!isOutside) {
      return name === undefined && !/\bvalidate constraint\b/.test(text) ? [] : ["belongs into a migration outside a transaction"]
    }
    if (name !== undefined && statements[index - 1] !== `drop index concurrently if exists ${name}`) {
      return [`needs "drop index concurrently if exists ${name}" before it`]
    }
    return []
  })

/** The faults of a migration; `tables` are those that the release before has. */
export const migrationFaults = (migration: MigrationText, tables: ReadonlySet<string>): ReadonlyArray<string> => {
  const lower = { ...migration, statements: migration.statements.map((text) => text.toLowerCase()) }
  return [
    ...lower.statements.flatMap((text) => faultsOfStatement(text, tables)),
    ...faultsOfOrder(lower),
    ...lower.statements.some((text) => timeouts.test(text)) ? ["sets a time-out, which the migrator does"] : []
  ]
}

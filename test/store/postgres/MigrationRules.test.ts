/** Migrations of this release expand what the release before has: they neither hold up its tables nor take away what it uses. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { previous } from "../../../infra/upgrade/previous.mjs"
import { type Migration, OutsideTransaction, recordedOf } from "../../../src/store/postgres/Migration.ts"
import { migrations } from "../../../src/store/postgres/Migrations.ts"
import { migrationFaults, tablesOf } from "../../support/database/MigrationFaults.ts"

const textsOf = (migration: Migration) =>
  Effect.map(recordedOf(migration), (recorded) => ({
    statements: recorded.map(({ text }) => text),
    isOutside: migration instanceof OutsideTransaction
  }))

const all = Object.entries<Migration>(migrations).toSorted(([one], [other]) => one < other ? -1 : 1)
const isReleased = ([name]: (typeof all)[number]) => name <= previous.migration

const releasedTables = Effect.map(
  Effect.forEach(all.filter(isReleased), ([, migration]) => textsOf(migration)),
  (texts) => new Set(texts.flatMap(({ statements }) => tablesOf(statements)))
)

describe("the migrations of this release", () => {
  it.effect("neither rewrite nor hold up a table of the release before, and take nothing away", () =>
    Effect.gen(function*() {
      expect(all.map(([name]) => name)).toContain(previous.migration)
      const tables = yield* releasedTables
      expect(tables).toContain("monitors")
      const faults = yield* Effect.forEach(all.filter((one) => !isReleased(one)), ([name, migration]) =>
        Effect.map(textsOf(migration), (text) =>
          migrationFaults(text, tables).map((fault) => `${name} ${fault}`)))
      expect(faults.flat()).toEqual([])
    }))

  const tables = new Set(["monitors", "events"])
  const inside = (...statements: ReadonlyArray<string>) => migrationFaults({ statements, isOutside: false }, tables)
  const outside = (...statements: ReadonlyArray<string>) => migrationFaults({ statements, isOutside: true }, tables)

  it.each([
    ["alter table monitors alter column name type varchar(10)", /rewrites/],
    ["alter table monitors alter name set data type int", /rewrites/],
    ["alter table monitors add column code uuid default gen_random_uuid()", /rewrites/],
    ["alter table monitors add column number bigint generated always as identity", /rewrites/],
    ["alter table monitors add column number bigserial", /rewrites/],
    ["alter table monitors set unlogged", /rewrites/],
    ["alter table monitors add column owner text not null", /default/],
    ["alter table monitors add column owner text references users", /not valid/],
    ["alter table monitors add column code text unique", /index/],
    ["alter table monitors alter column name set not null", /not valid/],
    ["alter table monitors add constraint short check (length(name) < 10)", /not valid/],
    ["alter table monitors add foreign key (owner) references users", /not valid/],
    ["alter table monitors add constraint one unique (name)", /index/],
    ["alter table monitors validate constraint short", /outside/],
    ["create index on monitors (name)", /concurrently/],
    ["create unique index name on monitors (name)", /concurrently/],
    ["create index concurrently names on monitors (name)", /outside/],
    ["update monitors set name = 'x'", /one transaction/],
    ["delete from events where at < now()", /one transaction/],
    ["with old as (select 1) delete from events", /one transaction/],
    ["insert into things (id) select id from monitors", /one transaction/],
    ["do $$ begin update monitors set name = 'x'; end $$", /one transaction/],
    ["alter table monitors drop column name", /release before/],
    ["alter table monitors drop column name /* unused since 1.0.0-rc.15 */", /release before/],
    ["alter table monitors rename column name to title", /release before/],
    ["drop table events", /release before/],
    ["lock table monitors", /holds up/],
    ["set lock_timeout = '1h'", /time-out/]
  ])("may not contain: %s", (statement, fault) => {
    expect(inside(statement).join("\n")).toMatch(fault)
  })

  it.each([
    "alter table monitors add column owner text",
    "alter table monitors add column size int not null default 0",
    "alter table monitors add column at timestamptz not null default now()",
    "alter table monitors add constraint short check (length(name) < 10) not valid",
    "alter table monitors alter column name drop not null",
    "alter table monitors drop constraint short",
    "alter table monitors drop column name /* unused since 1.0.0-rc.14 */",
    "create table things (id int primary key, monitor_id text references monitors, at timestamptz generated always as (now()) stored)",
    "create index on things (id)",
    "insert into things (id) values (1)"
  ])("may contain: %s", (statement) => {
    expect(inside(statement)).toEqual([])
  })

  it("build indexes and change rows outside a transaction, so that an interrupted start goes on", () => {
    expect(outside("drop index concurrently if exists names", "create index concurrently names on monitors (name)")).toEqual([])
    expect(outside("create index concurrently names on monitors (name)").join()).toMatch(
      /drop index concurrently if exists names/
    )
    expect(outside("alter table monitors validate constraint short")).toEqual([])
    const batches = "do $$ begin loop update monitors set size = 1 where id in " +
      "(select id from monitors where size is null limit 1000); exit when not found; commit; end loop; end $$"
    expect(outside(batches)).toEqual([])
    expect(outside("update monitors set size = 1").join()).toMatch(/one transaction/)
  })
})

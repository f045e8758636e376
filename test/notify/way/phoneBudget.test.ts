/** What texts and calls may cost, counted once whatever happens to the process that counts. */
import { SqlClient } from "@effect/sql"
import { describe, expect, layer } from "@effect/vitest"
import { Duration, Effect, Exit } from "effect"
import { PagingId } from "../../../schema/Ids.ts"
import { makePhoneBudget } from "../../../src/notify/way/phone/PhoneBudget.ts"
import { mint } from "../../../src/store/Mint.ts"
import { newWorkspace } from "../../support/program/TestRunner.ts"
import { addPhone, newMember, newNumber, phoneRunner } from "../../support/services/PhonePeople.ts"
import { skewedClock } from "../../support/time/SkewedClock.ts"

/** A person who may get two pages an hour, beside the code that proved their number. */
const limited = Effect.gen(function*() {
  const { id: workspaceId } = yield* newWorkspace
  const ada = yield* newMember(workspaceId)
  const to = newNumber()
  const wayId = yield* addPhone(ada, "sms", to)
  const spend = yield* makePhoneBudget({ personAnHour: 3, workspaceADay: 100, allADay: 1000 })
  const sql = yield* SqlClient.SqlClient
  return {
    workspaceId,
    page: Effect.map(mint("pgn", PagingId), (pagingId) => spend({ workspaceId, wayId, to, purpose: "page", pagingId })),
    counted: Effect.map(
      sql<{ readonly count: number }>`select count from rate_limits where key = ${`phone-person:${workspaceId} ${ada.id}`}`,
      ([row]) => row?.count
    )
  }
})

const reached = "The limit of 3 texts and calls an hour to one person is reached"

layer(phoneRunner(), { excludeTestServices: true })((it) => {
  describe("a page by phone", () => {
    it.effect("counts once, and is refused at each attempt if it was refused at the first", () =>
      Effect.gen(function*() {
        const { counted, page } = yield* limited
        const [first, second, third] = yield* Effect.all([page, page, page])
        expect([yield* first, yield* first, yield* second, yield* second]).toEqual([null, null, null, null])
        expect([yield* third, yield* third, yield* first]).toEqual([reached, reached, null])
        expect(yield* counted).toBe(3)
      }))

    it.effect("whose process dies while it is counted is counted at its next attempt", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { counted, page } = yield* limited
        const [first, second, third] = yield* Effect.all([page, page, page])
        yield* sql`create function die() returns trigger language plpgsql as 'begin raise exception ''died''; end'`
        yield* sql.unsafe(`create trigger die before insert on rate_limits for each row when (new.key like 'phone-all:%')
          execute function die()`)
        expect(Exit.isFailure(yield* Effect.exit(first))).toBe(true)
        yield* sql`drop trigger die on rate_limits`
        expect(yield* counted).toBe(1)
        expect([yield* first, yield* second, yield* third]).toEqual([null, null, reached])
      }))

    it.effect("counts in the same hour for a process whose clock is wrong", () =>
      Effect.gen(function*() {
        const { page } = yield* limited
        const [first, second, third] = yield* Effect.all([page, page, page])
        const ahead = skewedClock({ wall: () => Duration.toMillis("1 hour") })
        expect([yield* first, yield* Effect.withClock(second, ahead), yield* Effect.withClock(third, ahead)])
          .toEqual([null, null, reached])
      }))
  })
})

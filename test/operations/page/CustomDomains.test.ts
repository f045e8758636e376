/** The memory of custom domains: nobody's host names, and no failure of the database, take a page off its domain. */
import { SqlError } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option, TestClock } from "effect"
import { CustomDomains } from "../../../src/operations/page/CustomDomains.ts"
import { Pages } from "../../../src/store/page/Pages.ts"

/** A database that knows these domains, and can go away or take its time. */
const setUp = Effect.gen(function*() {
  const database = { verified: new Map<string, string>(), isAway: false, asked: 0, latch: yield* Effect.makeLatch(true) }
  const slugAt = (domain: string) =>
    Effect.suspend(() => {
      database.asked++
      if (database.isAway) return new SqlError.SqlError({ cause: "away" })
      return Effect.as(database.latch.await, Option.fromNullable(database.verified.get(domain)))
    })
  const domains = yield* CustomDomains.pipe(
    Effect.provide(Layer.provide(CustomDomains.Default, Layer.mock(Pages, { _tag: "belltower/Pages", slugAt })))
  )
  const slugOf = (domain: string) => Effect.map(domains.slugOf(domain), Option.getOrNull)
  return { database, slugOf }
})

const domain = "status.acme.example"

describe("a custom domain", () => {
  it.effect("keeps its page while the database is away, however many other host names are asked for", () =>
    Effect.gen(function*() {
      const { database, slugOf } = yield* setUp
      database.verified.set(domain, "acme")
      expect(yield* slugOf(domain)).toBe("acme")
      for (let name = 0; name < 5000; name++) yield* slugOf(`${name}.random.example`)
      database.isAway = true
      for (let name = 0; name < 5000; name++) expect(yield* slugOf(`${name}.other.example`)).toBeNull()
      for (let round = 0; round < 100; round++) {
        yield* TestClock.adjust("11 seconds")
        expect(yield* slugOf(domain)).toBe("acme")
      }
    }))

  it.effect("is found as soon as the database is back, if it was first asked for while that was away", () =>
    Effect.gen(function*() {
      const { database, slugOf } = yield* setUp
      database.verified.set(domain, "acme")
      database.isAway = true
      expect(yield* slugOf(domain)).toBeNull()
      database.isAway = false
      expect(yield* slugOf(domain)).toBe("acme")
    }))

  it.effect("is served within ten seconds of its verification, and no longer than that after it ends", () =>
    Effect.gen(function*() {
      const { database, slugOf } = yield* setUp
      expect(yield* slugOf(domain)).toBeNull()
      database.verified.set(domain, "acme")
      yield* TestClock.adjust("10 seconds")
      expect(yield* slugOf(domain)).toBe("acme")
      database.verified.delete(domain)
      expect(yield* slugOf(domain)).toBe("acme")
      yield* TestClock.adjust("10 seconds")
      expect(yield* slugOf(domain)).toBeNull()
      // What was true before does not come back.
      database.isAway = true
      yield* TestClock.adjust("10 seconds")
      expect(yield* slugOf(domain)).toBeNull()
    }))

  it.effect("has its last answer, and asks once, while a slow database is asked again", () =>
    Effect.gen(function*() {
      const { database, slugOf } = yield* setUp
      database.verified.set(domain, "acme")
      yield* slugOf(domain)
      yield* TestClock.adjust("10 seconds")
      yield* database.latch.close
      database.verified.set(domain, "acme-2")
      const first = yield* Effect.fork(slugOf(domain))
      yield* Effect.yieldNow()
      expect([yield* slugOf(domain), yield* slugOf(domain), database.asked]).toEqual(["acme", "acme", 2])
      yield* database.latch.open
      expect(yield* first).toBe("acme-2")
      expect(yield* slugOf(domain)).toBe("acme-2")
    }))

  it.effect("asks the database once in ten seconds while it is away, instead of for every request", () =>
    Effect.gen(function*() {
      const { database, slugOf } = yield* setUp
      database.verified.set(domain, "acme")
      yield* slugOf(domain)
      database.isAway = true
      yield* TestClock.adjust("10 seconds")
      for (let request = 0; request < 20; request++) yield* slugOf(domain)
      expect(database.asked).toBe(2)
    }))
})

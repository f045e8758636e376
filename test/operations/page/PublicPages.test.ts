import { SqlError } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, Context, Deferred, Effect, Exit, Fiber, Layer, Option, PubSub, Ref, Stream, TestClock } from "effect"
import { NotFound, Unavailable } from "../../../schema/Errors.ts"
import { WorkspaceId } from "../../../schema/Ids.ts"
import type { Snapshot } from "../../../src/domain/page/snapshot/Snapshot.ts"
import { ownerOfFiber, WorkOwner } from "../../../src/loops/WorkPriority.ts"
import { isDue, makePageCache } from "../../../src/operations/page/PageCache.ts"
import { PublicPages } from "../../../src/operations/page/PublicPages.ts"
import { SnapshotLoader } from "../../../src/operations/page/SnapshotLoader.ts"
import { Wakeups } from "../../../src/store/postgres/Wakeups.ts"
import { snapshotOf } from "../../pages/Fixtures.ts"

/** The rows of a test: it counts reads and controls what reading does. */
class Rows extends Context.Tag("Rows")<Rows, {
  /** For whom each read was. */
  readonly reads: Ref.Ref<ReadonlyArray<string | null>>
  readonly answer: Ref.Ref<Effect.Effect<Option.Option<Snapshot>, SqlError.SqlError>>
  readonly notifications: PubSub.PubSub<readonly [channel: string, payload: string]>
}>() {}

const rows = Layer.effect(
  Rows,
  Effect.all({
    reads: Ref.make<ReadonlyArray<string | null>>([]),
    answer: Ref.make<Effect.Effect<Option.Option<Snapshot>, SqlError.SqlError>>(Effect.succeed(Option.some(snapshotOf(["API"])))),
    notifications: PubSub.unbounded<readonly [string, string]>()
  })
)

const loader = Layer.effect(
  SnapshotLoader,
  Effect.map(Rows, ({ answer, reads }) =>
    SnapshotLoader.make({
      load: () =>
        Effect.suspend(() => Ref.update(reads, Arr.append(ownerOfFiber()))).pipe(Effect.zipRight(Effect.flatten(Ref.get(answer))))
    }))
)

const wakeups = Layer.effect(
  Wakeups,
  Effect.map(Rows, ({ notifications }) =>
    Wakeups.make({
      hearing: () => Effect.succeed(1),
      listen: (channel) =>
        Stream.unwrapScoped(Effect.map(PubSub.subscribe(notifications), (queue) =>
          Stream.fromQueue(queue).pipe(
            Stream.filter(([on]) => on === channel),
            Stream.map(([, payload]) => payload)
          )))
    }))
)

const TestPages = PublicPages.DefaultWithoutDependencies.pipe(
  Layer.provide([loader, wakeups]),
  Layer.provideMerge(rows)
)

const tell = (channel: string, payload: string) =>
  Effect.gen(function*() {
    const { notifications } = yield* Rows
    yield* PubSub.publish(notifications, [channel, payload])
    yield* TestClock.adjust(0)
  })

const reading = (answer: Effect.Effect<Option.Option<Snapshot>, SqlError.SqlError>) =>
  Effect.flatMap(Rows, (rows) => Ref.set(rows.answer, answer))

const owners = Effect.flatMap(Rows, (rows) => Ref.get(rows.reads))
const reads = Effect.map(owners, (all) => all.length)
const away = Effect.fail(new SqlError.SqlError({ cause: "away" }))
const get = (slug = "acme") => Effect.flatMap(PublicPages, (pages) => pages.get(slug))

describe("The public pages of a process", () => {
  it.scoped("are read once in 30 seconds", () =>
    Effect.gen(function*() {
      yield* get()
      yield* TestClock.adjust("29 seconds")
      yield* get()
      expect(yield* reads).toBe(1)
      yield* TestClock.adjust("1 seconds")
      yield* get()
      expect(yield* reads).toBe(2)
    }).pipe(Effect.provide(TestPages)))

  it.scoped("are read again a second after an event of their workspace", () =>
    Effect.gen(function*() {
      yield* get()
      yield* tell("belltower_events", "ws_other")
      yield* TestClock.adjust("2 seconds")
      yield* get()
      expect(yield* reads).toBe(1)
      yield* tell("belltower_events", "ws_1")
      yield* get()
      expect(yield* reads).toBe(2)
    }).pipe(Effect.provide(TestPages)))

  it.scoped("are read at most once a second however many events come", () =>
    Effect.gen(function*() {
      yield* get()
      for (let i = 0; i < 10; i++) {
        yield* tell("belltower_events", "ws_1")
        yield* get()
      }
      expect(yield* reads).toBe(1)
      yield* TestClock.adjust("1 seconds")
      yield* get()
      expect(yield* reads).toBe(2)
    }).pipe(Effect.provide(TestPages)))

  it.scoped("are read again immediately after an edit, and after missed wake-ups", () =>
    Effect.gen(function*() {
      yield* get()
      yield* tell("belltower_pages", "other")
      yield* get()
      expect(yield* reads).toBe(1)
      yield* tell("belltower_pages", "acme")
      yield* get()
      expect(yield* reads).toBe(2)
      yield* tell("belltower_pages", "")
      yield* get()
      expect(yield* reads).toBe(3)
    }).pipe(Effect.provide(TestPages)))

  it.scoped("share one read among all waiting requests", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<Option.Option<Snapshot>>()
      yield* reading(Deferred.await(gate))
      const visitors = yield* Effect.fork(Effect.all(Array.from({ length: 50 }, () => get()), { concurrency: "unbounded" }))
      yield* TestClock.adjust(0)
      yield* Deferred.succeed(gate, Option.some(snapshotOf(["API"])))
      const served = yield* Fiber.join(visitors)
      expect(new Set(served.map(({ snapshot }) => snapshot)).size).toBe(1)
      expect(yield* reads).toBe(1)
    }).pipe(Effect.provide(TestPages)))

  it.scoped("do not accept a read as current if an edit overtook it", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<Option.Option<Snapshot>>()
      yield* reading(Deferred.await(gate))
      const visitor = yield* Effect.fork(get())
      yield* TestClock.adjust(0)
      yield* tell("belltower_pages", "acme")
      yield* Deferred.succeed(gate, Option.some(snapshotOf(["API"])))
      yield* Fiber.join(visitor)
      yield* get()
      expect(yield* reads).toBe(2)
    }).pipe(Effect.provide(TestPages)))

  it.scoped("stay available while the database is away, marked as stale", () =>
    Effect.gen(function*() {
      const { snapshot } = yield* get()
      yield* reading(away)
      yield* TestClock.adjust("30 seconds")
      expect(yield* get()).toEqual({ snapshot, stale: true })
      // Not retried for every visitor.
      expect(yield* get()).toEqual({ snapshot, stale: true })
      expect(yield* reads).toBe(2)
      yield* reading(Effect.succeed(Option.some(snapshotOf(["API"]))))
      yield* TestClock.adjust("5 seconds")
      expect((yield* get()).stale).toBe(false)
    }).pipe(Effect.provide(TestPages)))

  it.scoped("stay as they were when a read dies", () =>
    Effect.gen(function*() {
      yield* get()
      yield* reading(Effect.die(new Error("a row that nobody expected")))
      yield* TestClock.adjust("30 seconds")
      expect((yield* get()).stale).toBe(true)
    }).pipe(Effect.provide(TestPages)))

  it.scoped("keep no visitor waiting for more than two seconds when there is an older snapshot", () =>
    Effect.gen(function*() {
      yield* get()
      yield* reading(Effect.never)
      yield* TestClock.adjust("30 seconds")
      const visitor = yield* Effect.fork(get())
      yield* TestClock.adjust("2 seconds")
      expect((yield* Fiber.join(visitor)).stale).toBe(true)
    }).pipe(Effect.provide(TestPages)))

  it.scoped("fail as unavailable without any snapshot", () =>
    Effect.gen(function*() {
      yield* reading(away)
      expect(yield* Effect.flip(get())).toBeInstanceOf(Unavailable)
      yield* reading(Effect.succeed(Option.some(snapshotOf(["API"]))))
      expect((yield* get()).stale).toBe(false)
    }).pipe(Effect.provide(TestPages)))

  it.scoped("are gone when their page is deleted", () =>
    Effect.gen(function*() {
      yield* get()
      yield* reading(Effect.succeed(Option.none()))
      yield* tell("belltower_pages", "acme")
      expect(yield* Effect.flip(get())).toBeInstanceOf(NotFound)
    }).pipe(Effect.provide(TestPages)))

  it.scoped("share the database: they are read for the client who asks first, and then for their workspace", () =>
    Effect.gen(function*() {
      yield* Effect.provideService(get(), WorkOwner, "192.0.2.0/24")
      yield* TestClock.adjust("30 seconds")
      yield* Effect.provideService(get(), WorkOwner, "198.51.100.0/24")
      expect(yield* owners).toEqual(["192.0.2.0/24", "pages of ws_1"])
    }).pipe(Effect.provide(TestPages)))

  it.scoped("are read for other clients while one waits for many", () =>
    Effect.gen(function*() {
      yield* reading(Effect.never)
      const many = Array.from({ length: 500 }, (_, number) => Effect.exit(get(`guess-${number}`)))
      const guesses = yield* Effect.fork(
        Effect.provideService(Effect.all(many, { concurrency: "unbounded" }), WorkOwner, "192.0.2.0/24")
      )
      yield* TestClock.adjust(0)
      expect(yield* reads).toBe(2)
      yield* reading(Effect.succeed(Option.some(snapshotOf(["API"]))))
      expect((yield* Effect.provideService(get(), WorkOwner, "198.51.100.0/24")).stale).toBe(false)
      yield* TestClock.adjust("12 seconds")
      // What finds no room is refused, and nothing waits for longer than 12 seconds.
      expect((yield* Fiber.join(guesses)).some(Exit.isFailure)).toBe(true)
    }).pipe(Effect.provide(TestPages)))

  it.scoped("that do not exist are looked up once in five seconds, unless one is made", () =>
    Effect.gen(function*() {
      yield* reading(Effect.succeed(Option.none()))
      for (let visit = 0; visit < 3; visit++) expect(yield* Effect.flip(get())).toBeInstanceOf(NotFound)
      expect(yield* reads).toBe(1)
      yield* TestClock.adjust("5 seconds")
      yield* Effect.flip(get())
      expect(yield* reads).toBe(2)
      yield* reading(Effect.succeed(Option.some(snapshotOf(["API"]))))
      yield* tell("belltower_pages", "acme")
      expect((yield* get()).stale).toBe(false)
    }).pipe(Effect.provide(TestPages)))

  it.scoped("are not looked up at slugs that no page can have", () =>
    Effect.gen(function*() {
      for (const slug of ["\0", "A", "a b", "../x", "ab", "x".repeat(49)]) {
        expect(yield* Effect.flip(get(slug))).toBeInstanceOf(NotFound)
      }
      expect(yield* reads).toBe(0)
    }).pipe(Effect.provide(TestPages)))
})

describe("The cache of pages", () => {
  const snapshot = snapshotOf([])
  const kept = () => ({ snapshot, builtAt: 0, tookMs: 0, change: "none" as const, failedAt: null })

  it("holds as many pages as its limit and evicts the least recently used", () => {
    const cache = makePageCache(2)
    cache.keep("a", kept())
    cache.keep("b", kept())
    cache.use("a")
    cache.keep("c", kept())
    expect(["a", "b", "c"].map((slug) => cache.use(slug) !== undefined)).toEqual([true, false, true])
  })

  it("does not let an event weaken an edit", () => {
    const cache = makePageCache(2)
    cache.keep("a", kept())
    cache.mark(() => true, "edit")
    cache.mark(() => true, "event")
    expect(cache.use("a")?.change).toBe("edit")
  })

  it("serves a page that is slow to read for longer after an event, at most five seconds", () => {
    const slow = (tookMs: number) => ({ ...kept(), change: "event" as const, tookMs })
    const dueAt = (tookMs: number) => [999, 1000, 3999, 4000, 4999, 5000].find((now) => isDue(slow(tookMs), now))
    expect([0, 100, 1000, 9000].map(dueAt)).toEqual([1000, 1000, 4000, 5000])
  })

  it("holds the snapshots of one workspace only up to its part of the memory", () => {
    const cache = makePageCache(1000)
    const day = { date: "2026-11-20", uptimePercent: 100, status: "operational" as const, downSeconds: 0 }
    const days = Array.from({ length: 90 }, () => day)
    const large = (workspaceId: string) => {
      const { components, page, ...rest } = snapshotOf(Array.from({ length: 500 }, (_, index) => `Component ${index}`))
      return {
        ...rest,
        page: { ...page, workspaceId: WorkspaceId.make(workspaceId) },
        components: components.map((one) => ({ ...one, days }))
      }
    }
    cache.keep("quiet", { ...kept(), snapshot: large("ws_quiet") })
    const one = large("ws_busy")
    const slugs = Array.from({ length: 50 }, (_, index) => `busy-${index}`)
    for (const slug of slugs) cache.keep(slug, { ...kept(), snapshot: one })
    expect(cache.use("quiet")).toBeDefined()
    const held = slugs.filter((slug) => cache.use(slug) !== undefined)
    expect(held).toEqual(slugs.slice(-held.length))
    expect(held.length).toBeLessThan(10)
  })

  it("retries five seconds after a failure", () => {
    expect(isDue({ ...kept(), failedAt: 40_000 }, 44_999)).toBe(false)
    expect(isDue({ ...kept(), failedAt: 40_000 }, 45_000)).toBe(true)
  })
})

/** Pages are rendered in turns of workspaces; what costs too much shows later, and older renderings until then. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, TestClock } from "effect"
import { Unavailable } from "../../schema/Errors.ts"
import { IncidentId, PageId, WorkspaceId } from "../../schema/Ids.ts"
import { Language } from "../../schema/page/Page.ts"
import type { Snapshot } from "../../src/domain/page/snapshot/Snapshot.ts"
import { formKey, type PageForm } from "../../src/pages/PageForm.ts"
import { PageViews } from "../../src/pages/PageViews.ts"
import { makeRenderings } from "../../src/pages/Renderings.ts"
import type { WebDocument } from "../../src/pages/WebDocument.ts"
import { now, pageRow, snapshotOf } from "./Fixtures.ts"
import { pageViews } from "./Views.ts"

const snapshotAt = (second: number, of: "a" | "b" = "a", names: ReadonlyArray<string> = ["API"]): Snapshot => ({
  ...snapshotOf(names, { page: pageRow({ id: PageId.make(`pg_${of}`), workspaceId: WorkspaceId.make(`ws_${of}`) }) }),
  at: DateTime.add(now, { seconds: second })
})

const html = (language: Language): PageForm => ({ _tag: "Html", visitor: { language, locale: language }, stale: false })
const incident = (number: number): PageForm => ({ _tag: "IncidentJson", id: IncidentId.make(`inc_${number}`) })

const documentOf = (etag: string, bytes = 100): WebDocument => ({
  contentType: "text/plain",
  etag,
  gzip: new Uint8Array(bytes),
  contentSecurityPolicy: null,
  lastModified: null
})

/** Renderings of a test: what was drawn, and how each drawing goes. */
const makeTest = (cost: (snapshot: Snapshot, form: PageForm) => Effect.Effect<number>, bytes = 100) => {
  const drawn: Array<string> = []
  const nameOf = (snapshot: Snapshot, form: PageForm) =>
    `${snapshot.page.workspaceId} ${snapshot.at.epochMillis - now.epochMillis} ${formKey(form)}`
  const made = makeRenderings<null>({
    read: () => null,
    draw: (snapshot, form) =>
      Effect.suspend(() => {
        drawn.push(nameOf(snapshot, form))
        return Effect.map(cost(snapshot, form), (cpuMs) => ({ document: documentOf(nameOf(snapshot, form), bytes), cpuMs }))
      })
  })
  return Effect.map(made, (renderings) => ({ ...renderings, drawn }))
}

const noCost = () => Effect.succeed(0)

describe("Pages that are rendered", () => {
  it.scopedLive("in many languages leave a turn to those of another workspace", () =>
    Effect.gen(function*() {
      const views = yield* PageViews
      const large = snapshotAt(0, "a", Array.from({ length: 20 }, (_, index) => `Component ${index}`))
      const finished: Array<string> = []
      const ask = (snapshot: Snapshot, language: Language) =>
        Effect.tap(views.of(snapshot, html(language)), () => Effect.sync(() => finished.push(snapshot.page.workspaceId)))
      yield* Effect.all([...Language.literals.map((language) => ask(large, language)), ask(snapshotAt(0, "b"), "en")], {
        concurrency: "unbounded"
      })
      expect(finished.indexOf("ws_b")).toBeLessThan(2)
      expect(finished).toHaveLength(Language.literals.length + 1)
    }).pipe(Effect.provide(pageViews)))

  it.scoped("show the newest snapshot: those that are superseded before their turn are never rendered", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<number>()
      const { drawn, of } = yield* makeTest(() => Deferred.await(gate))
      const first = yield* Effect.fork(of(snapshotAt(1), html("en")))
      yield* TestClock.adjust(0)
      const later = yield* Effect.forEach([2, 3, 4], (second) => Effect.fork(of(snapshotAt(second), html("en"))))
      yield* TestClock.adjust(0)
      yield* Deferred.succeed(gate, 0)
      const shown = yield* Effect.forEach([first, ...later], Fiber.join)
      expect(drawn).toEqual(["ws_a 1000 html en false", "ws_a 4000 html en false"])
      expect(shown.map(({ document }) => document.etag)).toEqual([drawn[0], drawn[1], drawn[1], drawn[1]])
    }))

  it.scoped("are shown as they were last, if a newer rendering takes more than two seconds", () =>
    Effect.gen(function*() {
      const { of } = yield* makeTest(({ at }) => at.epochMillis > now.epochMillis ? Effect.never : Effect.succeed(0))
      const first = yield* of(snapshotAt(0), html("en"))
      expect(first.isOlder).toBe(false)
      const visitor = yield* Effect.fork(of(snapshotAt(30), html("en")))
      yield* TestClock.adjust("2 seconds")
      expect(yield* Fiber.join(visitor)).toEqual({ document: first.document, isOlder: true })
      // Nobody gets one of an hour ago, and nobody waits for longer than ten seconds.
      const late = yield* Effect.fork(Effect.flip(of(snapshotAt(3600), html("en"))))
      const other = yield* Effect.fork(Effect.flip(of(snapshotAt(30), html("de"))))
      yield* TestClock.adjust("10 seconds")
      expect(yield* Fiber.join(late)).toBeInstanceOf(Unavailable)
      expect(yield* Fiber.join(other)).toBeInstanceOf(Unavailable)
    }))

  it.scoped("that change take at most a quarter of the CPU for one workspace", () =>
    Effect.gen(function*() {
      const { drawn, of } = yield* makeTest(() => Effect.succeed(1000))
      const languages = ["en", "de", "fr"] as const
      // What nobody has seen yet is not kept back.
      yield* Effect.forEach(languages, (language) => of(snapshotAt(0), html(language)))
      expect(drawn.splice(0)).toHaveLength(3)
      yield* Effect.forEach(languages, (language) => Effect.fork(of(snapshotAt(30), html(language))))
      yield* TestClock.adjust("2999 millis")
      yield* of(snapshotAt(0, "b"), html("en"))
      expect(drawn).toEqual(["ws_a 30000 html en false", "ws_b 0 html en false"])
      yield* TestClock.adjust("1 millis")
      expect(drawn[2]).toBe("ws_a 30000 html de false")
    }))

  it.scoped("wait in bounded numbers", () =>
    Effect.gen(function*() {
      const { drawn, of } = yield* makeTest(() => Effect.never)
      const asked = yield* Effect.fork(
        Effect.forEach(
          Array.from({ length: 300 }, (_, number) => incident(number)),
          (form) => Effect.exit(of(snapshotAt(0), form)),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("1 seconds")
      const other = yield* Effect.fork(of(snapshotAt(0, "b"), html("en")))
      yield* TestClock.adjust("9 seconds")
      expect((yield* Fiber.join(asked)).every(Exit.isFailure)).toBe(true)
      expect(drawn).toEqual(["ws_a 0 incident json inc_0", "ws_b 0 html en false"])
      yield* Fiber.interrupt(other)
    }))

  it.scoped("stay in memory whatever parts of the past visitors choose", () =>
    Effect.gen(function*() {
      const { drawn, of, rendered } = yield* makeTest(noCost, 1024 * 1024)
      const snapshot = snapshotAt(0)
      yield* of(snapshot, html("en"))
      yield* Effect.forEach(Array.from({ length: 200 }, (_, number) => incident(number)), (form) => of(snapshot, form))
      expect(rendered(snapshot, formKey(html("en")))).toBeDefined()
      // Of those, a page keeps few.
      yield* of(snapshot, incident(0))
      expect(drawn).toHaveLength(202)
    }))
})

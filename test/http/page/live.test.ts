/** The stream of changes of an open status page. */
import { expect, layer } from "@effect/vitest"
import { Effect, Queue, Stream } from "effect"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { newOwner } from "../../support/browser/Visitor.ts"
import { TestProgram } from "../../support/program/Program.ts"
import { until } from "../../support/time/Until.ts"

interface News {
  readonly version: string
  readonly spreadMs: number
}

/** The events of a page's stream, until the scope closes. */
const watch = Effect.fn("watch")(function*(slug: string) {
  const { host, port } = yield* ServerAddress
  const events = yield* Queue.unbounded<News>()
  const leaving = yield* Effect.acquireRelease(Effect.sync(() => new AbortController()), (one) => Effect.sync(() => one.abort()))
  const response = yield* Effect.promise(() => fetch(`http://${host}:${port}/s/${slug}/live`, { signal: leaving.signal }))
  const { body } = response
  if (body !== null) {
    yield* Stream.fromReadableStream(() => body, () => "closed" as const).pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.filter((line) => line.startsWith("data: ")),
      Stream.runForEach((line) => Queue.offer(events, JSON.parse(line.slice(6)))),
      Effect.ignore,
      Effect.forkScoped
    )
  }
  return { response, next: Queue.take(events), leave: Effect.sync(() => leaving.abort()) }
})

layer(TestProgram, { excludeTestServices: true, timeout: "120 seconds" })("an open page", (it) => {
  it.scoped("learns of each visible change, with the version that the page then has", () =>
    Effect.gen(function*() {
      const owner = yield* newOwner()
      const key = { authorization: `Bearer ${owner.key}` }
      const call = (method: string, path: string, body?: unknown) => owner.visitor.api(method, path, body, key)
      const page = (yield* call("POST", "/pages", { name: "Acme" })).body
      const component = (yield* call("POST", `/pages/${page.id}/components`, { name: "API", manual: true })).body
      const versionShown = Effect.map(
        owner.visitor.get(`/s/${page.slug}`),
        ({ text }) => /data-version="([^"]+)"/.exec(text)?.[1]
      )
      const one = yield* watch(page.slug)
      const two = yield* watch(page.slug)
      expect(one.response.headers.get("content-type")).toBe("text/event-stream")
      const first = yield* one.next
      expect(first).toEqual({ version: yield* versionShown, spreadMs: 0 })
      yield* two.next
      yield* call("POST", `/components/${component.id}/override`, { status: "major_outage" })
      const news = [yield* one.next, yield* two.next]
      expect(news[0]?.version).not.toBe(first.version)
      expect(news[1]?.version).toBe(news[0]?.version)
      expect(yield* versionShown).toBe(news[0]?.version)
      yield* call("POST", `/components/${component.id}/override`, { status: null })
      expect((yield* one.next).version).toBe(first.version)
    }))

  it.scoped("of a page that does not exist has no stream, and one address holds at most fifty", () =>
    Effect.gen(function*() {
      const owner = yield* newOwner()
      const key = { authorization: `Bearer ${owner.key}` }
      const page = (yield* owner.visitor.api("POST", "/pages", { name: "Acme" }, key)).body
      expect((yield* watch("nowhere")).response.status).toBe(404)
      const open = yield* Effect.forEach(Array.from({ length: 50 }), () => watch(page.slug))
      const refused = yield* watch(page.slug)
      expect([refused.response.status, refused.response.headers.get("retry-after")]).toEqual([429, "30"])
      yield* Effect.forEach(open, ({ leave }) => leave)
      const again = Effect.map(watch(page.slug), ({ response }) => response.status)
      yield* until(again, (status) => status === 200)
    }))
})

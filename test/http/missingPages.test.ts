/** Addresses that lead to nothing, as people see them: what happened, what to do, and a way on. Programs get the envelope. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fillWorkspace } from "../dashboard/FullWorkspace.ts"
import { newOwner, newVisitor } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }

const textOf = (html: string): string =>
  html.replace(/<style[\s\S]*?<\/style>|<script[\s\S]*?<\/script>/g, "").replace(/<[^>]*>/g, " ")

/** Where the page leads on. */
const linksOf = (html: string): ReadonlyArray<string> =>
  [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = ""]) => href)

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }), { excludeTestServices: true, timeout: "170 seconds" })(
  "An address that leads to nothing",
  (it) => {
    it.effect("is a page for people and an error for programs", () =>
      Effect.gen(function*() {
        const visitor = yield* newVisitor
        const page = yield* visitor.get("/nonsense", { ...browser, "accept-language": "de" })
        expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
        expect(page.text).toContain("<html lang=\"de\"")
        expect(linksOf(page.text)).toEqual(["/"])
        for (
          const [path, headers] of [["/nonsense", {}], ["/nonsense", { accept: "application/json" }], [
            "/api/v1/nonsense",
            browser
          ]] as const
        ) {
          const { headers: given, status, text } = yield* visitor.get(path, headers)
          expect([path, status, given.get("content-type"), JSON.parse(text).error.code]).toEqual([
            path,
            404,
            "application/json",
            "not_found"
          ])
        }
      }))

    it.effect("below a status page leads back to it, in its language", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const { page } = yield* fillWorkspace(visitor)
        const stranger = yield* newVisitor
        yield* visitor.api("PATCH", `/pages/${page.id}`, { settings: { language: "fr" } })
        for (
          const path of ["/incidents/nope", "/incidents/inc_01k9x2m4q8e7s9v3bthn5wza6c", "/nonsense", "/a/b", "/history?month=x"]
        ) {
          const { status, text } = yield* stranger.get(`/s/${page.slug}${path}`, browser)
          expect([path, status]).toEqual([path, 404])
          expect(text).toContain("<html lang=\"fr\"")
          expect(textOf(text)).toContain("a été supprimé")
          expect(linksOf(text).some((href) => href.endsWith(`/s/${page.slug}`))).toBe(true)
        }
        const json = yield* stranger.get(`/s/${page.slug}/incidents/nope`, { accept: "application/json" })
        expect([json.status, JSON.parse(json.text).error.code]).toEqual([404, "not_found"])
      }))

    it.effect("from a message says that its link does not work, and where to go", () =>
      Effect.gen(function*() {
        const visitor = yield* newVisitor
        const token = "0".repeat(40)
        const id = "sub_01k9x2m4q8e7s9v3bthn5wza6c"
        for (
          const path of [
            `/claim/${token}`,
            `/claim/${token}/email`,
            `/invite/${token}`,
            `/ack/${token}`,
            `/auth/link/${token}`,
            `/alerts/leave/${token}`,
            `/subscriptions/${id}/${token}`,
            `/subscriptions/${id}/${token}/unsubscribe`,
            `/subscriptions/${id}/confirm/${token}`,
            `/status-alerts/${id}/confirm/${token}`,
            `/status-alerts/${id}/unsubscribe/${token}`
          ]
        ) {
          const first = yield* visitor.get(path, browser)
          const { headers, status, text } = first.location === null ? first : yield* visitor.get(first.location, browser)
          expect([path, status, headers.get("content-type")]).toEqual([path, 404, "text/html; charset=utf-8"])
          expect([path, /link|invitation/i.test(textOf(text))]).toEqual([path, true])
          expect([path, linksOf(text).length > 0]).toEqual([path, true])
        }
      }))
  }
)

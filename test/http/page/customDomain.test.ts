/** A status page at its own domain: routing by host, forms there, and the question of a TLS proxy. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "node:http"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { newOwner } from "../../support/browser/Visitor.ts"
import { programBaseUrl, TestProgram } from "../../support/program/Program.ts"

interface Answer {
  readonly status: number
  readonly text: string
}

/** A request with a `Host` of its own, which `fetch` would replace. */
const at = Effect.fn("at")(function*(host: string, path: string, form?: Record<string, string>) {
  const { host: address, port } = yield* ServerAddress
  return yield* Effect.async<Answer>((resume) => {
    const sent = request({
      host: address,
      port,
      path,
      method: form === undefined ? "GET" : "POST",
      headers: {
        host,
        ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded", origin: `https://${host}` })
      }
    }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on(
        "end",
        () => resume(Effect.succeed({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }))
      )
    })
    sent.end(form === undefined ? undefined : new URLSearchParams(form).toString())
  })
})

layer(TestProgram, { excludeTestServices: true, timeout: "120 seconds" })("a page at its own domain", (it) => {
  it.effect("is served there with its forms, and a TLS proxy may get a certificate for it once it is verified", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* newOwner()
      const key = { authorization: `Bearer ${owner.key}` }
      const own = `status-${owner.id.slice(-8)}.example.org`
      const { body: page } = yield* owner.visitor.api("POST", "/pages", { name: "Acme", customDomain: own }, key)
      const ask = (domain: string) => Effect.map(at("127.0.0.1", `/tls/ask?domain=${domain}`), ({ status }) => status)
      expect(yield* ask("unverified.example.org")).toBe(404)
      yield* sql`update pages set domain_verified_at = now() where id = ${page.id}`
      yield* sql`select pg_notify('belltower_pages', ${page.slug})`
      expect([yield* ask(own), yield* ask(own.toUpperCase()), yield* ask(new URL(programBaseUrl).hostname)]).toEqual([
        200,
        200,
        200
      ])
      expect([yield* ask("elsewhere.example.org"), yield* ask("x".repeat(300)), yield* ask("")]).toEqual([404, 404, 404])

      const shown = yield* at(own, "/")
      expect([shown.status, shown.text.includes("action=\"?subscribe\"")]).toEqual([200, true])
      expect((yield* at(own, "/history")).status).toBe(200)
      const sent = yield* at(own, "/?subscribe", { type: "email", email: "ada@example.com" })
      expect([sent.status, sent.text.includes("Check your email"), sent.text.includes("no confirmation was sent")]).toEqual([
        200,
        false,
        true
      ])
      // Nothing else answers there.
      expect([(yield* at(own, "/sign-in")).status, (yield* at(own, "/api/v1/monitors")).status]).toEqual([404, 404])
    }))
})

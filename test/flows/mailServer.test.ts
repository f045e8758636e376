/** The operator of a new server sets its mail server in the dashboard; it takes effect immediately, and after a restart. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { filledIn, formIn } from "../support/browser/FormIn.ts"
import { localMail } from "../support/services/LocalMail.ts"
import { request } from "./support/Client.ts"
import { runProgram, startedFolder, startProgram } from "./support/Program.ts"

const password = "correct horse battery"

/** A browser without a screen, on a server at plain http. */
const browserAt = (baseUrl: string) => {
  let cookie = ""
  const send = (path: string, init: RequestInit = {}) =>
    Effect.tap(
      request(`${baseUrl}${path}`, {
        redirect: "manual",
        ...init,
        headers: { ...init.headers, origin: baseUrl, "sec-fetch-site": "same-origin", ...(cookie === "" ? {} : { cookie }) }
      }),
      ({ headers }) =>
        Effect.sync(() => {
          const set = headers.getSetCookie().find((line) => line.includes("session="))
          if (set !== undefined) cookie = set.slice(0, set.indexOf(";"))
        })
    )
  const post = (path: string, type: string, body: string) =>
    send(path, { method: "POST", headers: { "content-type": type }, body })
  return {
    get: (path: string) => send(path),
    submit: (path: string, body = "") => post(path, "application/x-www-form-urlencoded", body),
    call: (path: string, body: unknown) => post(`/api/v1${path}`, "application/json", JSON.stringify(body))
  }
}

const linkIn = (text: string) => /\/auth\/link\/[0-9A-Za-z]{40}/.exec(text)?.[0] ?? "no link"

describe("the mail server of a new installation", () => {
  it.scopedLive("is set by its operator, and is kept by a restart", () =>
    Effect.gen(function*() {
      const box = yield* localMail(0, password)
      const folder = yield* startedFolder
      const first = yield* startProgram({ folder })
      expect(first.stdout()).toContain("No mail server is set: mail is captured, not sent")
      const operator = browserAt(first.baseUrl)
      yield* operator.submit(linkIn(first.stdout()))
      const { body: channel } = yield* operator.call("/channels", { name: "Mail", type: "email", emails: ["ada@example.com"] })
      const form = formIn((yield* operator.get("/app/providers")).text, "mail-server")
      if (form === null) return yield* Effect.dieMessage("The operator sees no form")
      const typed = { host: "127.0.0.1", "port:number": String(box.port), tls: "none", user: "bell", password }
      expect((yield* operator.submit(form.action, filledIn(form, typed))).status).toBe(303)
      const test = (browser: typeof operator) => Effect.map(browser.call(`/channels/${channel.id}/test`, {}), ({ body }) => body)
      expect(yield* test(operator)).toMatchObject({ delivered: true, captured: false })
      expect((yield* box.next).to).toEqual(["ada@example.com"])
      yield* first.signal("SIGINT")
      yield* first.ended

      const second = yield* startProgram({ folder })
      expect(second.stdout()).not.toContain("No mail server is set")
      const print = (...args: ReadonlyArray<string>) =>
        Effect.map(
          runProgram({ folder, args: ["sign-in-link", "operator@belltower.localhost", ...args] }),
          ({ stdout }) => stdout
        )
      const again = browserAt(second.baseUrl)
      yield* again.submit(linkIn(yield* print("--operator")))
      expect((yield* again.get("/api/v1/mail-server")).body).toMatchObject({
        source: "settings",
        operator: true,
        server: { port: box.port, password: "[hidden]" }
      })
      expect(yield* test(again)).toMatchObject({ delivered: true })
      expect((yield* box.next).to).toEqual(["ada@example.com"])
      // The link for a colleague makes nobody an operator.
      const colleague = browserAt(second.baseUrl)
      yield* colleague.submit(linkIn(yield* print()))
      expect((yield* colleague.get("/api/v1/mail-server")).body).toMatchObject({ operator: false, server: null })
    }))
})

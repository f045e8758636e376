/** The dashboard's frame: views show what the operations answer, forms call them, and nobody sees or does more than they may. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { offered } from "../../src/dashboard/frame/Sections.ts"
import { formIn } from "../support/browser/FormIn.ts"
import { newOwner, newVisitor } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"
import { until } from "../support/time/Until.ts"
import { posted, switched } from "./Forms.ts"

/** The hidden fields of a form. */
const hiddenOf = (html: string, form: string): Record<string, string> => {
  const start = html.indexOf(`id="${form}"`)
  const text = html.slice(start, html.indexOf("</form>", start))
  const decoded = (value: string) => value.replaceAll("&quot;", "\"").replaceAll("&amp;", "&")
  return Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map((
      [, name = "", value = ""]
    ) => [name, decoded(value)])
  )
}

/** Where a form of a document is sent, and its hidden fields. */
const sentBy = (html: string, id: string): readonly [action: string, hidden: Record<string, string>] => [
  formIn(html, id)?.action ?? "",
  hiddenOf(html, id)
]

const own = { _form: "workspace-settings", _back: "/app/usage", _then: "/app/usage", _said: "Workspace saved" }

layer(programOf(), { excludeTestServices: true })("the dashboard", (it) => {
  it.effect("sends strangers to the sign-in page, and back afterwards", () =>
    Effect.gen(function*() {
      const stranger = yield* newVisitor
      const answer = yield* stranger.get("/app/keys")
      expect([answer.status, answer.location]).toEqual([303, "/sign-in?next=%2Fapp%2Fkeys"])
    }))

  it.effect("compresses its pages, those before the sign-in as well", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const stranger = yield* newVisitor
      for (const page of [yield* stranger.get("/status"), yield* visitor.get("/app/keys"), yield* visitor.get("/app/contact")]) {
        expect([page.status, page.headers.get("content-encoding")]).toEqual([200, "gzip"])
      }
      const plain = yield* stranger.get("/status", { "accept-encoding": "identity" })
      expect([plain.headers.get("content-encoding"), plain.headers.get("vary")]).toEqual([null, "accept-encoding"])
    }))

  it.effect("is in English with the formats of the reader's region, and takes any language header", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      for (const [accepted, lang] of [["de", "en-DE"], ["de-1a", "en-DE"], ["ja;q=1", "en-JP"]] as const) {
        const { status, text } = yield* visitor.get("/app/keys", { "accept-language": accepted })
        expect([status, /<html lang="([^"]*)"/.exec(text)?.[1]]).toEqual([200, lang])
      }
    }))

  it.effect("keeps a form whose session has ended, to be sent after a new sign-in", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const kept = new Map(visitor.cookies)
      visitor.cookies.clear()
      const typed = { ...own, name: "Typed & \"kept\"", _fixed: "timezone", timezone: "UTC" }
      const refused = yield* visitor.submit("/app/do/update_workspace?workspace=x", typed)
      expect(refused.status).toBe(401)
      expect(refused.text).toContain("action=\"/app/do/update_workspace?workspace=x\"")
      expect(refused.text.match(/<dt>.*?<\/dt>/g)).toEqual(["<dt>Name</dt>"])
      const again = hiddenOf(refused.text.replace("<form", "<form id=\"kept\""), "kept")
      expect(again).toEqual(typed)
      for (const [name, value] of kept) visitor.cookies.set(name, value)
      const sent = yield* visitor.submit("/app/do/update_workspace", again)
      expect([sent.status, sent.location]).toEqual([303, "/app/usage"])
      expect((yield* visitor.api("GET", "/workspace")).body.name).toBe(typed.name)
      // Another site must not have it shown.
      visitor.cookies.clear()
      const foreign = yield* visitor.submit("/app/do/update_workspace", typed, { origin: "https://elsewhere.test" })
      expect([foreign.status, foreign.location]).toEqual([303, "/sign-in"])
    }))

  it.effect("shows what the operations answer, with a policy that allows no inline code", () =>
    Effect.gen(function*() {
      const { key, visitor } = yield* newOwner()
      const { text, headers, status } = yield* visitor.get("/app/keys")
      expect(status).toBe(200)
      expect(text).toContain("scout")
      expect(text).not.toContain(key)
      expect(headers.get("content-security-policy")).toContain("script-src 'self'; style-src 'self'")
      expect(headers.get("cache-control")).toBe("no-store")
      expect(text).not.toMatch(/<[^>]* (?:style|on[a-z]+)=/)
    }))

  it.effect("calls an operation with a form's fields, in the person's name, and says what happened once", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const [action, form] = sentBy((yield* visitor.get("/app/usage")).text, "workspace-settings")
      const saved = yield* visitor.submit(action, { ...form, name: "Acme Ltd", timezone: "Europe/Berlin" })
      expect([saved.status, saved.location]).toEqual([303, "/app/usage"])
      expect((yield* visitor.api("GET", "/workspace")).body).toMatchObject({ name: "Acme Ltd", timezone: "Europe/Berlin" })
      expect((yield* visitor.get("/app/usage")).text).toContain("<span>Workspace saved</span>")
      expect((yield* visitor.get("/app/usage")).text).not.toContain("<span>Workspace saved</span>")
      const { data: [entry] } = (yield* visitor.api("GET", "/audit?limit=1")).body
      expect(entry).toMatchObject({ operation: "update_workspace", via: "dashboard", actor: { type: "user" } })
    }))

  it.effect("runs a form once that is sent twice, and again when somebody went back and filled it in otherwise", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const [action, form] = sentBy((yield* visitor.get("/app/channels/new?type=webhook")).text, "new-channel")
      for (const name of ["First", "First", "Second"]) {
        expect((yield* visitor.submit(action, { ...form, name, "url:url": "https://hooks.example.com/x" })).status).toBe(200)
      }
      const names = (yield* visitor.api("GET", "/channels")).body.data.map((channel: { readonly name: string }) => channel.name)
      expect(names.sort()).toEqual(["First", "Second"])
    }))

  it.effect("keeps what was typed when an operation refuses, and names the field", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { status, text } = yield* visitor.submit("/app/do/update_workspace", {
        ...own,
        name: "Kept & typed",
        timezone: "Mars/Base"
      })
      expect(status).toBe(422)
      expect(text).toContain("value=\"Kept &amp; typed\"")
      expect(text).toContain("value=\"Mars/Base\"")
      expect(text).toMatch(/aria-invalid="true"[^>]*aria-describedby="[^"]*timezone-issue/)
    }))

  it.effect("shows a secret once, in the answer to the form that made it", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const [action, form] = sentBy((yield* visitor.get("/app/keys")).text, "new-key")
      const fields = { ...form, name: "deploys", "scopes:list": "read,write" }
      const made = yield* visitor.submit(action, fields)
      expect(made.status).toBe(200)
      const [secret = ""] = /bell_live_[0-9A-Za-z]{40}/.exec(made.text) ?? []
      expect(secret).not.toBe("")
      // A reload submits again: the same key, not a second one.
      expect((yield* visitor.submit(action, fields)).text).toContain(secret)
      expect((yield* visitor.get("/app/keys")).text).not.toContain(secret)
      const names = (yield* visitor.api("GET", "/api-keys")).body.data.map(({ name }: { readonly name: string }) => name)
      expect(names.filter((name: string) => name === "deploys")).toHaveLength(1)
    }))

  it.effect("accepts forms only from its own pages, and leads only to its own views", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const foreign = yield* visitor.submit("/app/do/update_workspace", { ...own, name: "Stolen" }, {
        origin: "https://evil.test",
        "sec-fetch-site": "cross-site"
      })
      expect(foreign.status).toBe(403)
      for (const _then of ["https://evil.test", "//evil.test", "/\\evil.test", "/application"]) {
        const answer = yield* visitor.submit("/app/do/update_workspace", { ...own, name: "Stolen", _then })
        expect([answer.status, answer.location]).toEqual([422, null])
      }
      expect((yield* visitor.api("GET", "/workspace")).body.name).not.toBe("Stolen")
      expect((yield* visitor.submit("/app/do/no_such_operation", own)).status).toBe(404)
    }))

  it.effect("offers forms only to those whose role allows them, and refuses the others all the same", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const sql = yield* SqlClient.SqlClient
      const [action, form] = sentBy((yield* visitor.get("/app/keys")).text, "new-key")
      yield* sql`update memberships set role = 'viewer' where workspace_id = ${id}`
      yield* until(visitor.get("/app/keys"), ({ text }) => !text.includes("id=\"new-key\""))
      const refused = yield* visitor.submit(action, { ...form, name: "mine", "scopes:list": "read" })
      expect(refused.status).toBe(403)
      expect(refused.text).not.toMatch(/bell_live_[0-9A-Za-z]{40}/)
    }))

  it.effect("leads nobody to what their role may not do", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const sql = yield* SqlClient.SqlClient
      const [monitor, member] = [
        (yield* visitor.api("POST", "/monitors", { name: "Shop", periodSec: 60 })).body,
        (yield* visitor.api("POST", "/members", { email: "owen@example.com", role: "owner" })).body
      ]
      yield* visitor.api("POST", "/incident-templates", { name: "First", title: "Slow", body: "We look." })
      const read = Effect.fnUntraced(function*(role: string) {
        yield* sql`update memberships set role = ${role} where workspace_id = ${id}`
        const shown = (path: string, text: string) => Effect.map(visitor.get(path), (answer) => answer.text.includes(text))
        // The role of a session is read once in a while.
        yield* until(visitor.api("GET", "/me"), ({ body }) => body.workspace.role === role)
        return yield* Effect.all({
          owners: shown("/app/members", "<option value=\"owner\""),
          otherOwner: shown("/app/members", `id="role-${member.id}"`),
          invite: shown("/app/members", "href=\"#invite\""),
          audit: shown("/app/members", "href=\"/app/audit\""),
          key: shown("/app/keys", "href=\"#new\""),
          template: shown("/app/incidents/templates", "incidents/new?template="),
          settings: shown(`/app/monitors/${monitor.id}`, `/app/monitors/${monitor.id}/edit`),
          // Of the command palette.
          offered: Effect.map(visitor.get("/app"), ({ text }) => /data-may="([^"]*)"/.exec(text)?.[1] ?? "")
        })
      })
      const [all, none] = [true, false].map((may) => ({ invite: may, audit: may, key: may, template: may, settings: may }))
      const offeredTo = (without: ReadonlyArray<string>) => offered.filter((call) => !without.includes(call)).join(" ")
      const ofAdmins = ["invite_member", "create_api_key", "list_audit_log"]
      expect(yield* read("owner")).toEqual({ ...all, owners: true, otherOwner: true, offered: offeredTo([]) })
      expect(yield* read("admin")).toEqual({ ...all, owners: false, otherOwner: false, offered: offeredTo([]) })
      const ofMember = { template: true, settings: true, offered: offeredTo(ofAdmins) }
      expect(yield* read("member")).toEqual({ ...none, ...ofMember, owners: false, otherOwner: false })
      expect(yield* read("viewer")).toEqual({ ...none, owners: false, otherOwner: false, offered: "" })
    }))

  it.effect("shows nothing of a workspace that the person does not belong to", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      yield* visitor.api("PATCH", "/workspace", { name: "Top secret" })
      const stranger = yield* newOwner()
      expect((yield* stranger.visitor.get(`/app/usage?workspace=${id}`)).text).not.toContain("Top secret")
    }))

  it.effect("leads from a link that names another workspace of the person to that workspace, and then to the view", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const link = `/app/monitors?workspace=${id}&state=down`
      const stranger = yield* newVisitor
      expect((yield* stranger.get(link)).location).toBe(`/sign-in?next=${encodeURIComponent(link)}`)
      yield* posted(visitor, "/app/workspaces", "new-workspace", { name: "Second" })
      const elsewhere = yield* visitor.get(link)
      expect([elsewhere.status, elsewhere.text.includes("This is in ")]).toEqual([200, true])
      expect(elsewhere.text).toMatch(/<button[^>]*>Switch to /)
      const followed = yield* switched(visitor, link, id)
      expect([followed.status, followed.location]).toEqual([303, link])
      const { text } = yield* visitor.get(link)
      expect([text.includes("This is in "), text.includes("<h1>Monitors</h1>")]).toEqual([false, true])
    }))

  it.effect("keeps the theme that a reader chooses, in all views and on the pages around them", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const themeIn = ({ text }: { readonly text: string }) => /<html[^>]*data-theme="(\w+)"/.exec(text)?.[1] ?? null
      expect(themeIn(yield* visitor.get("/app"))).toBeNull()
      const chosen = yield* visitor.submit("/app/theme", { theme: "dark", next: "/app/incidents?open=true" })
      expect([chosen.status, chosen.location]).toEqual([303, "/app/incidents?open=true"])
      expect(themeIn(yield* visitor.get("/app/keys"))).toBe("dark")
      expect(themeIn(yield* visitor.get("/app/contact"))).toBe("dark")
      expect(themeIn(yield* visitor.get("/claim/x"))).toBe("dark")
      expect((yield* visitor.submit("/app/theme", { theme: "pink" })).status).toBe(422)
      expect((yield* visitor.submit("/app/theme", { theme: "light", next: "//evil.test" })).status).toBe(422)
      const foreign = yield* visitor.submit("/app/theme", { theme: "light" }, { origin: "https://evil.test" })
      expect([foreign.status, themeIn(yield* visitor.get("/app"))]).toEqual([403, "dark"])
      yield* visitor.submit("/app/theme", { theme: "system" })
      expect(themeIn(yield* visitor.get("/app"))).toBeNull()
    }))

  it.effect("keep what was typed when a person's contact or a workspace's name is refused", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const typed = { "name:word?": "Ada", "phone:word?": "call me", "slack:word?": "U012AB" }
      const contact = yield* posted(visitor, "/app/contact", "contact", typed)
      expect([contact.status, contact.text.includes("phone"), contact.text.includes("value=\"call me\"")]).toEqual([
        422,
        true,
        true
      ])
      expect([contact.text.includes("value=\"Ada\""), contact.text.includes("value=\"U012AB\"")]).toEqual([true, true])
      const long = "w".repeat(81)
      const workspace = yield* posted(visitor, "/app/workspaces", "new-workspace", { name: long })
      expect([workspace.status, workspace.text.includes(`value="${long}"`)]).toEqual([422, true])
    }))

  it.effect("serves its scripts and styles forever, by names that follow their content", () =>
    Effect.gen(function*() {
      const { visitor } = yield* newOwner()
      const { text } = yield* visitor.get("/app")
      const [style = ""] = /\/app\/assets\/design-[0-9a-f]+\.css/.exec(text) ?? []
      const { headers, status } = yield* visitor.get(style)
      expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"])
      expect((yield* visitor.get("/app/assets/..%2Fbelltower.js")).status).toBe(404)
    }))
})

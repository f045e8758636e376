/** The views of alerts: channels, deliveries, escalation policies and on-call schedules. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChannelId, WorkspaceId } from "../../schema/Ids.ts"
import { leaveToken } from "../../src/domain/mail/LeaveToken.ts"
import { linksFrom } from "../../src/links/Links.ts"
import { LinkKeys } from "../../src/store/LinkKeys.ts"
import { formIn } from "../support/browser/FormIn.ts"
import { newOwner, type Visitor } from "../support/browser/Visitor.ts"
import { signedIn } from "../support/database/SignedIn.ts"
import { programBaseUrl, programKeys, programOf } from "../support/program/Program.ts"
import type { Json } from "../support/program/TestServer.ts"
import { httpTarget } from "../support/targets/LocalTargets.ts"
import { until } from "../support/time/Until.ts"
import { submitted } from "./Forms.ts"

const channels = (visitor: Visitor) => Effect.map(visitor.api("GET", "/channels"), ({ body }) => body.data)

const withChannel = Effect.gen(function*() {
  const owner = yield* newOwner()
  yield* submitted(owner.visitor, "/app/channels/new?type=webhook", "new-channel", {
    name: "Receiver",
    url: "http://127.0.0.1:9/hook",
    "headers:pairs": "authorization: Bearer one"
  })
  const [channel] = yield* channels(owner.visitor)
  return { ...owner, channel }
})

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }), { excludeTestServices: true, timeout: "90 seconds" })(
  "The views of alerts",
  (it) => {
    it.effect("create a webhook whose secret is shown once, and change it without losing what is masked", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const created = yield* submitted(visitor, "/app/channels/new?type=webhook", "new-channel", {
          name: "Receiver",
          url: "http://127.0.0.1:9/hook",
          "headers:pairs": "authorization: Bearer one"
        })
        expect(created.text).toMatch(/whsec_[A-Za-z0-9+/=]{20,}/)
        const [channel] = yield* channels(visitor)
        const path = `/app/channels/${channel.id}`
        expect((yield* visitor.get(path)).text).not.toContain("whsec_")
        const saved = yield* submitted(visitor, path, "edit-channel", { name: "Main receiver" })
        expect(saved.text).toContain("Channel saved")
        const [after] = yield* channels(visitor)
        expect([after.name, after.url, after.headers]).toEqual(["Main receiver", channel.url, channel.headers])
        const rotated = yield* submitted(visitor, path, "rotate")
        expect(rotated.text).toMatch(/whsec_[A-Za-z0-9+/=]{20,}/)
      }))

    it.effect("attach a newcomer's first channel to the monitors that exist already, and say so", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const monitors = yield* Effect.forEach(["One", "Two"], (name) =>
          Effect.map(visitor.api("POST", "/monitors", { name, periodSec: 3600 }), ({ body }) => body))
        const start = `/app/monitors/${monitors[0].id}/start`
        expect((yield* visitor.get(start)).text).toContain("Nobody is alerted yet")
        const created = yield* submitted(visitor, start, "channel", { "emails:list": "ada@example.com" })
        expect(created.text).toContain("Channel created. Alerts for all 2 monitors go here.")
        expect(created.text).toContain("Alerts go to Email.")
        expect(created.text).not.toContain("Nobody is alerted")

        // A later channel is for those that have none, and only if the person says so.
        const later = yield* visitor.api("POST", "/monitors", { name: "Three", periodSec: 3600, channelIds: [] })
        yield* submitted(visitor, "/app/channels/new?type=ntfy", "new-channel", { topic: "alerts" })
        const [email] = yield* channels(visitor)
        const attached = Effect.forEach([...monitors, later.body], ({ id }) =>
          Effect.map(visitor.api("GET", `/monitors/${id}`), ({ body }) =>
            body.channelIds))
        expect(yield* attached).toEqual([[email.id], [email.id], []])
        const made = yield* visitor.api("POST", "/channels", { name: "All", type: "ntfy", topic: "all", attachExisting: true })
        expect(yield* attached).toEqual([[email.id], [email.id], [made.body.id]])
      }))

    it.effect("keep what was typed when an operation refuses, with the issue at its field", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const refused = yield* submitted(visitor, "/app/channels/new?type=slack", "new-channel", {
          name: "Team <b>room</b>",
          url: "ftp://example.com"
        })
        expect(refused.status).toBe(422)
        expect(refused.text).toContain("value=\"Team &lt;b>room&lt;/b>\"")
        expect(refused.text).toMatch(/id="new-channel-url"[^>]*|aria-invalid/)
        expect(refused.text).toContain("new-channel-url-issue")
        expect(yield* channels(visitor)).toEqual([])
      }))

    it.effect("remove an optional setting that is emptied, and keep one that is left as it is shown", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const input = { name: "Phones", type: "ntfy", topic: "alerts", url: "https://ntfy.example.com", token: "tk_1" }
        const { body: { id } } = yield* visitor.api("POST", "/channels", input)
        yield* submitted(visitor, `/app/channels/${id}`, "edit-channel", { topic: "news" })
        expect(yield* channels(visitor)).toMatchObject([{ topic: "news", url: input.url, token: "[hidden]" }])
        yield* submitted(visitor, `/app/channels/${id}`, "edit-channel", { "url:url?": "", "token:text?": "" })
        const [left] = yield* channels(visitor)
        expect(left).toMatchObject({ topic: "news", url: null })
        expect(left).not.toHaveProperty("token")
      }))

    it.scoped("test a channel, say what came of it, and log it; a delivery is replayed from the log", () =>
      Effect.gen(function*() {
        let status = 500
        const target = yield* httpTarget((_, response) => response.writeHead(status).end())
        const { channel, visitor } = yield* withChannel
        yield* visitor.api("PATCH", `/channels/${channel.id}`, { url: `${target}/hook` })
        const failed = yield* submitted(visitor, `/app/channels/${channel.id}`, "test")
        expect(failed.text).toMatch(/Not delivered[\s\S]*The answer was 500/)
        status = 410
        yield* submitted(visitor, `/app/channels/${channel.id}`, "test")
        expect((yield* visitor.get("/app/channels")).text).toContain("Not reached")
        expect((yield* visitor.get(`/app/channels/${channel.id}`)).text).toMatch(/Alerts do not arrive[\s\S]*410 Gone/)
        status = 204
        const arrived = yield* submitted(visitor, "/app/channels", `test-${channel.id}`)
        expect(arrived.text).toMatch(/Delivered\.[\s\S]*The answer was 204/)
        expect((yield* visitor.get("/app/channels")).text).not.toContain("Not reached")
        const log = yield* visitor.get(`/app/deliveries?channelId=${channel.id}&status=delivered`)
        expect(log.text.match(/id="delivery-/g)).toHaveLength(1)
        const [, id = ""] = /id="delivery-([a-z0-9_]+)"/.exec(log.text) ?? []
        const replayed = yield* submitted(visitor, "/app/deliveries", `replay-${id}`)
        expect(replayed.text).toContain("Event queued for delivery again")
        const many = yield* submitted(visitor, "/app/deliveries", "replay-many", { status: "dead" })
        expect(many.text).toMatch(/deliveries are due again|Nothing to replay/)
      }))

    it.effect("warn of channels with the same settings, when one is created and in its view", () =>
      Effect.gen(function*() {
        const { channel, visitor } = yield* withChannel
        const created = (name: string, token: string) =>
          submitted(visitor, "/app/channels/new?type=webhook", "new-channel", {
            name,
            url: channel.url,
            "headers:pairs": `authorization: Bearer ${token}`
          })
        const link = ({ id, name }: Json) => `Same settings as <a href="/app/channels/${id}">${name}</a>`
        expect((yield* created("Copy", "one")).text).toContain(link(channel))
        expect((yield* created("Other", "two")).text).not.toContain("Same settings")
        const [, copy, other] = yield* channels(visitor)
        const identical = (yield* channels(visitor)).map(({ id, identicalTo }: Json) => [id, identicalTo])
        expect(identical).toEqual([[channel.id, [copy.id]], [copy.id, [channel.id]], [other.id, []]])
        const textOf = ({ id }: Json) => Effect.map(visitor.get(`/app/channels/${id}`), ({ text }) => text)
        expect(yield* textOf(copy)).toContain(link(channel))
        expect(yield* textOf(channel)).toContain(link(copy))
        expect(yield* textOf(other)).not.toContain("Same settings")
        // Each has deliveries of its own.
        yield* visitor.api("POST", "/incidents", { title: "Slow", message: "We look into it." })
        for (const one of [channel, copy, other]) {
          yield* until(visitor.api("GET", `/deliveries?channelId=${one.id}&status=due`), ({ body }) => body.data.length === 1)
          expect(yield* textOf(one)).toContain("1 pending delivery is lost.")
        }
        yield* visitor.api("PATCH", `/channels/${copy.id}`, { enabled: false })
        expect(yield* textOf(channel)).not.toContain("Same settings")
      }))

    it.effect("set quiet hours and remove them", () =>
      Effect.gen(function*() {
        const { channel, visitor } = yield* withChannel
        const path = `/app/channels/${channel.id}`
        yield* submitted(visitor, path, "quiet-hours", {
          "quietHours.timezone": "Europe/Athens",
          "quietHours.days:numbers": ["", "0", "4"],
          "quietHours.criticalPasses:boolean": ["false", "true"]
        })
        expect((yield* channels(visitor))[0].quietHours).toEqual({
          timezone: "Europe/Athens",
          from: "22:00",
          to: "07:00",
          days: [0, 4],
          criticalPasses: true
        })
        yield* submitted(visitor, path, "quiet-off")
        expect((yield* channels(visitor))[0].quietHours).toBeNull()
      }))

    it.effect("build an escalation policy from plain rows, and name a schedule that it pages", () =>
      Effect.gen(function*() {
        const { channel, visitor } = yield* withChannel
        const made = yield* submitted(visitor, "/app/on-call/new", "new-schedule", {
          name: "Platform",
          timezone: "Europe/Athens"
        })
        expect(made.text).toContain("Schedule created")
        const [schedule] = (yield* visitor.api("GET", "/oncall/schedules")).body.data
        const refused = yield* submitted(visitor, "/app/escalation/new", "new-policy", { name: "Nobody" })
        expect([refused.status, refused.text.includes("value=\"Nobody\"")]).toEqual([422, true])
        const policies = yield* submitted(visitor, "/app/escalation/new", "new-policy", {
          name: "Platform",
          "levels.0.targets.0:target": `schedule/${schedule.id}`,
          "levels.1.afterMinutes:minutes": "10 min",
          "levels.1.targets.0:target": "",
          "levels.1.targets.1:target": `channel/${channel.id}`
        })
        expect(policies.text).toContain("On call: Platform")
        const [policy] = (yield* visitor.api("GET", "/escalation-policies")).body.data
        expect(policy.levels).toEqual([
          { afterMinutes: 0, targets: [{ type: "schedule", id: schedule.id }] },
          { afterMinutes: 10, targets: [{ type: "channel", id: channel.id }] }
        ])
        expect((yield* visitor.get(`/app/channels/${channel.id}`)).text).toContain(`/app/escalation/${policy.id}`)
        yield* submitted(visitor, `/app/escalation/${policy.id}`, "edit-policy", {
          "levels.0.targets.0:target": "",
          "levels.0.afterMinutes:minutes": ""
        })
        expect((yield* visitor.api("GET", "/escalation-policies")).body.data[0].levels).toHaveLength(1)
      }))

    it.effect("put somebody on call by local times, show it in the calendar, and take it back", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        yield* submitted(visitor, "/app/on-call/new", "new-schedule", { name: "Platform", timezone: "Europe/Athens" })
        const [schedule] = (yield* visitor.api("GET", "/oncall/schedules")).body.data
        const path = `/app/on-call/${schedule.id}`
        const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
        yield* submitted(visitor, path, "new-override", {
          "start:moment@Europe/Athens": `${tomorrow}T10:00`,
          "end:moment@Europe/Athens": `${tomorrow}T12:30`,
          note: "Dentist"
        })
        const shown = yield* visitor.get(path)
        expect(shown.text).toContain("Dentist")
        expect(shown.text).toContain("(override)")
        const [override] = (yield* visitor.api("GET", `/oncall/schedules/${schedule.id}`)).body.overrides
        const local = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Athens", timeStyle: "short" })
        expect([local.format(new Date(override.start)), local.format(new Date(override.end))]).toEqual(["10:00", "12:30"])
        const removed = yield* submitted(visitor, path, `delete-${override.id}`)
        expect((yield* visitor.api("GET", `/oncall/schedules/${schedule.id}`)).body.overrides).toEqual([])
        expect(removed.text).toContain("Override removed")
        expect(formIn(removed.text, "undo")).not.toBeNull()
      }))

    it.effect("offer a viewer no form, and nobody the records of another workspace", () =>
      Effect.gen(function*() {
        const { channel, id: workspace, visitor } = yield* withChannel
        const viewer = yield* signedIn(WorkspaceId.make(workspace), "viewer")
        const shown = yield* visitor.get(`/app/channels/${channel.id}`, viewer.headers)
        expect([shown.status, shown.text.includes("Receiver"), shown.text.includes("action=\"/app/do/")]).toEqual([
          200,
          true,
          false
        ])
        const stranger = (yield* newOwner()).visitor
        for (const path of [`/app/channels/${channel.id}`, "/app/escalation/pol_01k9x2m4q8e7s9v3bthn5wza6c"]) {
          expect((yield* stranger.get(path)).status).toBe(404)
        }
      }))

    it.scoped("stop for a recipient by the link in their mails, however long the address is", () =>
      Effect.gen(function*() {
        const { visitor } = yield* newOwner()
        const longest = [`${"a".repeat(64)}@${"b".repeat(63)}`, "c".repeat(63), "d".repeat(53), "example"].join(".")
        const emails = [longest, "two@b.example"]
        const { body: channel } = yield* visitor.api("POST", "/channels", { name: "Mail", type: "email", emails })
        expect(channel.emails).toEqual(emails)
        const { body: workspace } = yield* visitor.api("GET", "/workspace")
        const signer = yield* LinkKeys
        const leaver = { workspaceId: WorkspaceId.make(workspace.id), channelId: ChannelId.make(channel.id), email: longest }
        const { pathname } = new URL(linksFrom(programBaseUrl).leaveChannel(leaveToken(signer, leaver)))
        const asked = yield* visitor.get(pathname)
        expect([asked.status, asked.text.includes("Stop these alerts?")]).toEqual([200, true])
        // As mail programs do it (RFC 8058), from another origin.
        expect((yield* visitor.submit(pathname, "List-Unsubscribe=One-Click", {})).status).toBe(200)
        expect((yield* visitor.api("GET", "/channels")).body.data[0].emails).toEqual(["two@b.example"])
      }).pipe(Effect.provide(programKeys)))
  }
)

/** Buttons in Slack and Telegram, through the whole program: who may press them, what follows, and what the message says then. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createServer, type Server } from "node:net"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { randomToken } from "../../../src/store/Mint.ts"
import { tokenHash } from "../../../src/store/Vault.ts"
import { newOwner, newVisitor, type Visitor } from "../../support/browser/Visitor.ts"
import { programBaseUrl, programOf } from "../../support/program/Program.ts"
import type { Json } from "../../support/program/TestServer.ts"
import { blocksOf, buttonsOf, type LocalSlack, localSlack, signedBySlack, slackApp } from "../../support/services/LocalSlack.ts"
import { type LocalTelegram, localTelegram, telegramBot } from "../../support/services/LocalTelegram.ts"
import { until } from "../../support/time/Until.ts"

class Chats extends Context.Tag("Chats")<Chats, { readonly slack: LocalSlack; readonly telegram: LocalTelegram }>() {}

const program = Layer.unwrapScoped(Effect.gen(function*() {
  const slack = yield* localSlack
  const telegram = yield* localTelegram
  return Layer.merge(
    Layer.succeed(Chats, { slack, telegram }),
    programOf({
      BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8",
      BELLTOWER_SLACK_URL: slack.api,
      BELLTOWER_TELEGRAM_URL: telegram.url
    })
  )
}))

const at = (path: string, init: RequestInit) =>
  Effect.flatMap(ServerAddress, ({ host, port }) =>
    Effect.promise(async () => {
      const response = await fetch(`http://${host}:${port}${path}`, init)
      const text = await response.text()
      const body: Json = text.startsWith("{") ? JSON.parse(text) : null
      return { status: response.status, text, body }
    }))

/** A call that works. */
const call = (visitor: Visitor, method: string, path: string, body?: unknown) =>
  Effect.map(visitor.api(method, path, body), (answer) => {
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
    return answer.body
  })

const me = (visitor: Visitor) => Effect.map(call(visitor, "GET", "/me"), ({ user }): string => user.id)

/** A signed-in member of a workspace. */
const newMember = Effect.fn("newMember")(function*(workspaceId: string, email: string) {
  const sql = yield* SqlClient.SqlClient
  const [id, token] = [`usr_${(yield* randomToken(26)).toLowerCase()}`, yield* randomToken(40)]
  yield* sql`
    insert into users (id, email, email_proved_at, created_at, updated_at) values (${id}, ${email}, now(), now(), now())`
  yield* sql`insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${id}, 'member', now())`
  yield* sql`
    insert into sessions (id, user_id, token_hash, workspace_id, via, created_at, expires_at, last_seen_at)
    values (${`ses_${id.slice(4)}`}, ${id}, ${tokenHash(token)}, ${workspaceId}, 'email', now(), now() + interval '1 day', now())`
  const visitor = yield* newVisitor
  visitor.cookies.set("__Host-belltower_session", token)
  return visitor
})

/** A server that counts its connections. */
const listening = (host: string) =>
  Effect.async<{ server: Server; port: number; requests: number }>((resume) => {
    const server = createServer((socket) => {
      found.requests++
      socket.destroy()
    })
    const found = { server, port: 0, requests: 0 }
    server.listen(0, host, () => {
      const address = server.address()
      found.port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed(found))
    })
  })

const incidentOf = (visitor: Visitor, id: string) => call(visitor, "GET", `/incidents/${id}`)

const notesOf = ({ updates }: Json): ReadonlyArray<string> =>
  updates.filter((one: Json) => one.public === false).map((one: Json) => one.body)

const opened = (visitor: Visitor, title: string) =>
  call(visitor, "POST", "/incidents", { title, message: "We look into it.", impact: "critical" })

const codeIn = (text: string): string => /\d{6}/.exec(text)?.[0] ?? "no code"

/** Adds the member's Slack account and enters the code that it got. */
const linkSlack = Effect.fn("linkSlack")(function*(visitor: Visitor, member: string) {
  const { slack } = yield* Chats
  const userId = yield* me(visitor)
  const way = yield* call(visitor, "POST", `/oncall/members/${userId}/ways`, { kind: "slack" })
  expect(way).toMatchObject({ kind: "slack", shown: member, usable: false, verifiedAt: null })
  const code = codeIn(slack.posted.findLast(({ channel }) => channel === member)?.content.text ?? "")
  return yield* call(visitor, "POST", `/oncall/members/${userId}/ways/${way.id}/verify`, { code })
})

/** The number of the last message in a channel, or to a member, that names a title. */
const postedAbout = (channel: string, title: string) =>
  Effect.flatMap(Chats, ({ slack }) =>
    until(
      Effect.sync(() =>
        slack.posted.findLastIndex((one) => one.channel === channel && JSON.stringify(one.content).includes(title))
      ),
      (index) => index >= 0,
      "20 seconds"
    ))

const newTeam = Effect.fn("newTeam")(function*(member: string) {
  const { slack } = yield* Chats
  const owner = yield* newOwner()
  slack.members.set(owner.email, member)
  const channel = yield* call(owner.visitor, "POST", "/channels", {
    name: "Team",
    type: "slack",
    botToken: slackApp.token,
    chatId: `C${member}`,
    appSecret: slackApp.secret
  })
  const press = (body: string) => at(`/chat/slack/${owner.id}`, signedBySlack(body))
  return { ...owner, channel, press, room: `C${member}` }
})

const content = (index: number) => Effect.map(Chats, ({ slack }): Json => slack.posted[index]?.content)

layer(program, { excludeTestServices: true, timeout: "120 seconds" })("a button", (it) => {
  it.effect("in Slack acts in the name of the member who pressed it, and the message says so", () =>
    Effect.gen(function*() {
      const { slack } = yield* Chats
      const { channel, email, id: workspaceId, press, room, visitor } = yield* newTeam("U0ADA")
      expect(JSON.stringify(channel)).not.toMatch(/xoxb|secret-of/)
      expect(yield* linkSlack(visitor, "U0ADA")).toMatchObject({ usable: true, problem: null })
      const viewer = yield* newMember(workspaceId, "viewer.in.slack@example.com")
      slack.members.set("viewer.in.slack@example.com", "U0VIEW")
      yield* linkSlack(viewer, "U0VIEW")
      // The role counts that they have when they press.
      const sql = yield* SqlClient.SqlClient
      yield* sql`update memberships set role = 'viewer' where workspace_id = ${workspaceId} and user_id = ${yield* me(viewer)}`

      const incident = yield* opened(visitor, "Slow checkout")
      const index = yield* postedAbout(room, "Slow checkout")
      expect(buttonsOf(yield* content(index))).toEqual(["Acknowledge", "Resolve", "Escalate", "Open"])
      const acknowledge = (member: string) => slack.press(index, "Acknowledge", member)
      const [byAda, byStranger, byViewer] = [acknowledge("U0ADA"), acknowledge("U0ELSE"), slack.press(index, "Resolve", "U0VIEW")]

      for (
        const [body, said] of [[byStranger, `not linked to a member of this workspace. Link it: ${programBaseUrl}/app/contact`], [
          byViewer,
          "Viewers have read-only access"
        ]] as const
      ) {
        const before = slack.whispers.length
        expect((yield* press(body)).status).toBe(200)
        yield* until(Effect.sync(() => slack.whispers.slice(before).join()), (text) => text.includes(said), "20 seconds")
      }
      expect((yield* incidentOf(visitor, incident.id)).acknowledgement).toBeNull()

      expect((yield* press(byAda)).status).toBe(200)
      expect((yield* incidentOf(visitor, incident.id)).acknowledgement).toMatchObject({ by: email, via: "slack" })
      const shown = yield* until(content(index), (one) => JSON.stringify(one).includes("Acknowledged by"), "20 seconds")
      expect(buttonsOf(shown)).toEqual(["Resolve", "Escalate", "Open"])
      expect(JSON.stringify(shown)).toContain(`Acknowledged by ${email}`)

      // The button that others still see.
      expect((yield* press(byAda)).status).toBe(200)
      const resolve = slack.press(index, "Resolve", "U0ADA")
      yield* press(resolve)
      yield* press(resolve)
      const resolved = yield* incidentOf(visitor, incident.id)
      expect(resolved.status).toBe("resolved")
      expect(notesOf(resolved)).toEqual([`Acknowledged by ${email}.`, `Resolved by ${email} in Slack.`])
      expect(resolved.updates.filter((one: Json) => one.public).map(({ body }: Json) => body).join()).not.toContain(email)
      const over = yield* until(content(index), (one) => JSON.stringify(one).includes("Resolved"), "20 seconds")
      expect(buttonsOf(over)).toEqual(["Open"])
      expect(blocksOf(over).filter(({ type }) => type === "context")).toHaveLength(1)

      const { data } = yield* call(visitor, "GET", "/audit?limit=50")
      const done = data.filter(({ target }: Json) => target === incident.id)
        .map(({ actor, ip, operation, via }: Json) => [operation, actor.name, via, ip])
      expect(done.filter(([, , via]: Json) => via === "slack").reverse()).toEqual([
        ["acknowledge_incident", email, "slack", null],
        ["resolve_incident", email, "slack", null]
      ])
    }))

  it.effect("in a direct message of Slack escalates once, however often it is pressed", () =>
    Effect.gen(function*() {
      const { slack } = yield* Chats
      const { press, visitor } = yield* newTeam("U0BOB")
      yield* linkSlack(visitor, "U0BOB")
      const userId = yield* me(visitor)
      yield* call(visitor, "PATCH", `/oncall/members/${userId}/rules`, { high: [{ by: "slack", afterMinutes: 0 }] })
      const level = { afterMinutes: 30, targets: [{ type: "user", id: userId }] }
      yield* call(visitor, "POST", "/escalation-policies", { name: "Platform", levels: [level, level, level] })
      const incident = yield* opened(visitor, "Lost orders")
      const index = yield* postedAbout("U0BOB", "Lost orders")
      expect(buttonsOf(yield* content(index))).toEqual(["Acknowledge", "Resolve", "Escalate", "Open"])
      const escalate = slack.press(index, "Escalate", "U0BOB")
      expect(
        (yield* Effect.all([press(escalate), press(escalate), press(escalate)], { concurrency: 3 })).map(({ status }) => status)
      )
        .toEqual([200, 200, 200])
      const notes = notesOf(yield* incidentOf(visitor, incident.id))
      expect(notes.filter((body) => body.startsWith("Escalated"))).toHaveLength(1)
      yield* until(content(index), (one) => JSON.stringify(one).includes("Escalated to level 2 of 3"), "20 seconds")
      const log = yield* until(
        call(visitor, "GET", `/incidents/${incident.id}/pagings`),
        ({ data }) => data.filter((one: Json) => one.by === "slack" && one.state === "handed_over").length === 2,
        "20 seconds"
      )
      expect(log.data.map(({ level }: Json) => level)).toEqual([1, 2])
    }))

  it.scoped("is believed only with the signature of the workspace's own app, and for five minutes", () =>
    Effect.gen(function*() {
      const { slack } = yield* Chats
      const { id: workspaceId, room, visitor } = yield* newTeam("U0EVE")
      const other = yield* newOwner()
      yield* linkSlack(visitor, "U0EVE")
      const incident = yield* opened(visitor, "Slow search")
      const body = slack.press(yield* postedAbout(room, "Slow search"), "Resolve", "U0EVE")
      const path = `/chat/slack/${workspaceId}`
      const now = Date.now()
      const signed = signedBySlack(body)
      const statuses = yield* Effect.forEach(
        [
          [path, signedBySlack(body, now, "another secret")],
          [path, signedBySlack(body, now - 310_000)],
          [path, signedBySlack(body, now + 310_000)],
          [path, { ...signed, body: body.replace("U0EVE", "U0ADA") }],
          [path, { method: "POST", body }],
          [`/chat/slack/${other.id}`, signed],
          ["/chat/slack/elsewhere", signed]
        ] as const,
        ([where, init]) => Effect.map(at(where, init), ({ status }) => status)
      )
      expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 404])
      expect((yield* incidentOf(visitor, incident.id)).status).toBe("investigating")
      // Slack also reports presses of links, which do nothing here.
      expect((yield* at(path, signedBySlack(new URLSearchParams({ payload: "{\"type\":\"block_actions\"}" }).toString()))).status)
        .toBe(200)
      // Nor is an address called that is closed to the workspace.
      const closed = yield* Effect.acquireRelease(listening("::1"), ({ server }) => Effect.sync(() => server.close()))
      const payload = JSON.parse(new URLSearchParams(body).get("payload") ?? "")
      const elsewhere = new URLSearchParams({
        payload: JSON.stringify({ ...payload, response_url: `http://[::1]:${closed.port}/` })
      })
      expect((yield* at(path, signedBySlack(elsewhere.toString()))).status).toBe(200)
      expect((yield* incidentOf(visitor, incident.id)).status).toBe("resolved")
      expect((yield* at(path, signed)).status).toBe(200)
      const index = slack.posted.findIndex((one) => one.channel === room)
      yield* until(content(index), (one) => JSON.stringify(one).includes("Resolved"), "20 seconds")
      expect(closed.requests).toBe(0)
    }))

  it.effect("in Telegram acts for the person who has linked their chat, and no link works twice", () =>
    Effect.gen(function*() {
      const { telegram } = yield* Chats
      const { email, id: workspaceId, visitor } = yield* newOwner()
      const userId = yield* me(visitor)
      const ways = `/oncall/members/${userId}/ways`
      const without = yield* visitor.api("POST", ways, { kind: "telegram" })
      expect([without.status, without.text]).toEqual([422, expect.stringContaining("has no Telegram channel")])
      yield* call(visitor, "POST", "/channels", {
        name: "Team",
        type: "telegram",
        botToken: telegramBot.token,
        chatId: "-100",
        buttons: true
      })
      expect(telegram.hook.url).toBe(`${programBaseUrl}/chat/telegram/${workspaceId}`)
      const reported = ({ path, ...init }: ReturnType<typeof telegram.write>) => at(path, { method: "POST", ...init })

      const way = yield* call(visitor, "POST", ways, { kind: "telegram" })
      const payload = new URL(way.link).searchParams.get("start") ?? ""
      expect(way.link).toBe(`https://t.me/${telegramBot.name}?start=${payload}`)
      const started = (from: number, type?: string) =>
        Effect.map(reported(telegram.write(from, `/start ${payload}`, type)), ({ body }) => body)
      expect(yield* started(42, "group")).toBeNull()
      expect(yield* started(42)).toMatchObject({
        method: "sendMessage",
        chat_id: "42",
        text: "Linked. Pages reach you here from now on."
      })
      expect((yield* started(43)).text).toContain("This link is over")
      const listed = (yield* call(visitor, "GET", ways)).data.find(({ id }: Json) => id === way.id)
      expect(listed).toMatchObject({ usable: true, shown: "42" })
      expect(listed.link).toBeUndefined()
      const key = { authorization: `Bearer ${(yield* newOwner()).key}` }
      expect((yield* visitor.api("POST", `${ways}/${way.id}/verify`, {}, key)).status).toBe(404)

      const incident = yield* opened(visitor, "Slow checkout")
      const number = yield* until(
        Effect.sync(() =>
          telegram.sent.findLastIndex((one) => String(one.chat_id) === "-100" && one.text.includes("Slow checkout")) + 1
        ),
        (found) => found > 0,
        "20 seconds"
      )
      expect(telegram.labels(number)).toEqual(["Acknowledge", "Resolve", "Escalate"])
      const pressed = telegram.press(number, "Acknowledge", 42)
      expect((yield* reported(telegram.press(number, "Resolve", 43))).body).toMatchObject({
        method: "answerCallbackQuery",
        show_alert: true,
        text: expect.stringContaining("not linked to a member")
      })
      expect((yield* reported({ ...pressed, headers: { "x-telegram-bot-api-secret-token": "wrong" } })).status).toBe(403)
      expect((yield* incidentOf(visitor, incident.id)).acknowledgement).toBeNull()
      expect((yield* reported(pressed)).body).toMatchObject({
        show_alert: false,
        text: expect.stringContaining(`Acknowledged by ${email}`)
      })
      expect((yield* reported(pressed)).body).toMatchObject({
        show_alert: true,
        text: expect.stringContaining(`Acknowledged by ${email}`)
      })
      const shown = yield* until(Effect.sync(() => telegram.sent[number - 1]), ({ text }) =>
        text.includes("Acknowledged by"), "20 seconds")
      expect([telegram.labels(number), shown.text.split("Acknowledged by").length]).toEqual([["Resolve", "Escalate"], 2])
      yield* reported(telegram.press(number, "Resolve", 42))
      const resolved = yield* incidentOf(visitor, incident.id)
      expect([resolved.status, resolved.acknowledgement.via]).toEqual(["resolved", "telegram"])
      expect(notesOf(resolved)).toEqual([`Acknowledged by ${email}.`, `Resolved by ${email} in Telegram.`])
    }))

  it.effect("is missing from the messages of bots that report nothing here", () =>
    Effect.gen(function*() {
      const { slack, telegram } = yield* Chats
      const { visitor } = yield* newOwner()
      const { id } = yield* call(visitor, "POST", "/channels", {
        name: "A",
        type: "telegram",
        botToken: telegramBot.token,
        chatId: "-200"
      })
      yield* call(visitor, "POST", "/channels", { name: "B", type: "slack", url: slack.hook })
      yield* opened(visitor, "Plain outage")
      const index = yield* postedAbout("hook", "Plain outage")
      expect(buttonsOf(yield* content(index))).toEqual(["Acknowledge"])
      const last = yield* until(
        Effect.sync(() => telegram.sent.findLast((one) => String(one.chat_id) === "-200")),
        (one) => one !== undefined,
        "20 seconds"
      )
      expect([last.reply_markup, last.text]).toEqual([undefined, expect.stringContaining("[Acknowledge](")])
      const way = yield* visitor.api("POST", `/oncall/members/${yield* me(visitor)}/ways`, { kind: "telegram" })
      expect([way.status, way.text]).toEqual([422, expect.stringContaining("has no buttons")])
      // A bot that reports elsewhere goes on to do so.
      telegram.hook.url = "https://elsewhere.example/hook"
      yield* call(visitor, "PATCH", `/channels/${id}`, { name: "C", buttons: false })
      expect(telegram.hook.url).toBe("https://elsewhere.example/hook")
      yield* call(visitor, "PATCH", `/channels/${id}`, { buttons: true })
      expect(telegram.hook.url).toContain(`${programBaseUrl}/chat/telegram/ws_`)
      yield* call(visitor, "PATCH", `/channels/${id}`, { buttons: false })
      expect(telegram.hook.url).toBe("")
    }))
})

/** The buttons of Discord messages, through the whole program: what proves a press, what follows, and what the message says then. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { ServerAddress } from "../../../src/http/server/ServeApp.ts"
import { newOwner, type Visitor } from "../../support/browser/Visitor.ts"
import { programOf } from "../../support/program/Program.ts"
import type { Json } from "../../support/program/TestServer.ts"
import {
  discordApp,
  discordButtons,
  discordPress,
  dmOf,
  type LocalDiscord,
  localDiscord,
  signedByDiscord
} from "../../support/services/LocalDiscord.ts"
import { until } from "../../support/time/Until.ts"

class Discord extends Context.Tag("Discord")<Discord, LocalDiscord>() {}

const program = Layer.unwrapScoped(Effect.map(localDiscord, (discord) =>
  Layer.merge(
    Layer.succeed(Discord, discord),
    programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8", BELLTOWER_DISCORD_URL: discord.url })
  )))

const at = (path: string, init: RequestInit) =>
  Effect.flatMap(ServerAddress, ({ host, port }) =>
    Effect.promise(async () => {
      const response = await fetch(`http://${host}:${port}${path}`, init)
      const text = await response.text()
      const body: Json = text.startsWith("{") ? JSON.parse(text) : null
      return { status: response.status, body }
    }))

const channelOf = (visitor: Visitor, chatId: string, more: object = {}) =>
  visitor.api("POST", "/channels", { name: "Team", type: "discord", botToken: discordApp.token, chatId, ...more })

const opened = (visitor: Visitor, title: string) =>
  visitor.api("POST", "/incidents", { title, message: "We look into it.", impact: "critical" })

const postedIn = (chatId: string, title: string) =>
  Effect.flatMap(Discord, ({ posted }) =>
    Effect.map(
      until(
        Effect.sync(() => posted.filter(({ channel, content }) => channel === chatId && JSON.stringify(content).includes(title))),
        (found) => found.length > 0,
        "20 seconds"
      ),
      ([found]) => found ?? { channel: chatId, content: {} }
    ))

layer(program, { excludeTestServices: true, timeout: "120 seconds" })("a button in Discord", (it) => {
  it.effect("acknowledges in the name of the person who pressed it, and the message says so", () =>
    Effect.gen(function*() {
      const { id, visitor } = yield* newOwner()
      const chatId = "290926798626357250"
      const made = yield* channelOf(visitor, chatId, { appSecret: discordApp.publicKey })
      expect(made.status).toBe(201)
      expect(made.text).not.toMatch(/token-of-the-local/)
      const address = `/chat/discord/${id}`
      // Discord tries an address with a right and with a wrong signature before it saves it.
      expect(yield* at(address, signedByDiscord({ type: 1 }))).toEqual({ status: 200, body: { type: 1 } })
      const { privateKey: foreign } = generateKeyPairSync("ed25519")
      for (
        const wrong of [
          signedByDiscord({ type: 1 }, Date.now(), foreign),
          signedByDiscord({ type: 1 }, Date.now() - 400_000),
          { ...signedByDiscord({ type: 1 }), body: "{\"type\": 1}" },
          { method: "POST", body: "{\"type\":1}" }
        ]
      ) expect((yield* at(address, wrong)).status).toBe(401)

      const { body: { id: incidentId } } = yield* opened(visitor, "Checkout is down")
      const message = yield* postedIn(chatId, "Checkout is down")
      const [acknowledge, resolve, escalate, link] = discordButtons(message.content)
      expect([acknowledge.label, resolve.label, escalate.label, link.label, link.style])
        .toEqual(["Acknowledge", "Resolve", "Escalate", "Open", 5])
      expect(message.content.allowed_mentions).toEqual({ parse: [] })

      const press = discordPress(message, acknowledge.custom_id, "ada_*l*")
      expect((yield* at(address, signedByDiscord(press, Date.now(), foreign))).status).toBe(401)
      // Only members resolve and escalate.
      for (const { custom_id: customId } of [resolve, escalate]) {
        expect((yield* at(address, signedByDiscord(discordPress(message, customId, "ada_*l*")))).body).toMatchObject({
          type: 4,
          data: { flags: 64, content: expect.stringContaining("not linked to a member") }
        })
      }
      const { body } = yield* at(address, signedByDiscord(press))
      expect(body.type).toBe(7)
      expect(body.data.content).toContain("Acknowledged by ada\\_\\*l\\*")
      expect(body.data.embeds).toEqual(message.content.embeds)
      expect(discordButtons(body.data).map(({ label }) => label)).toEqual(["Resolve", "Escalate", "Open"])
      const { body: incident } = yield* visitor.api("GET", `/incidents/${incidentId}`)
      expect(incident.acknowledgement).toMatchObject({ by: "ada_*l* (Discord)", via: "discord" })

      // A second press, and one after the end.
      const again = yield* at(address, signedByDiscord({ ...press, member: { user: { id: "2", username: "bo" } } }))
      expect([again.body.type, again.body.data.content]).toEqual([7, expect.stringContaining("Acknowledged by ada")])
      yield* visitor.api("POST", `/incidents/${incidentId}/resolve`, {})
      const { body: other } = yield* opened(visitor, "Search is down")
      yield* visitor.api("POST", `/incidents/${other.id}/resolve`, {})
      const late = yield* postedIn(chatId, "Search is down")
      const [button] = discordButtons(late.content)
      const whisper = yield* at(address, signedByDiscord(discordPress(late, button.custom_id, "ada")))
      expect(whisper.body).toMatchObject({ type: 4, data: { flags: 64, content: expect.stringContaining("already resolved") } })
    }))

  it.effect("acts in the name of the member whose account is linked: it resolves and escalates, too", () =>
    Effect.gen(function*() {
      const { posted } = yield* Discord
      const { email, id, visitor } = yield* newOwner()
      const chatId = "290926798626357260"
      const member = "290926798626357261"
      yield* channelOf(visitor, chatId, { appSecret: discordApp.publicKey })
      const { body: { user } } = yield* visitor.api("GET", "/me")
      const ways = `/oncall/members/${user.id}/ways`
      expect((yield* visitor.api("POST", ways, { kind: "discord", member: "ada" })).status).toBe(422)
      const { body: way } = yield* visitor.api("POST", ways, { kind: "discord", member })
      expect(way).toMatchObject({ kind: "discord", usable: false })
      const [told] = posted.filter(({ channel }) => channel === dmOf(member))
      const code = /\d{6}/.exec(String(told?.content.content))?.[0]
      expect((yield* visitor.api("POST", `${ways}/${way.id}/verify`, { code })).body).toMatchObject({ usable: true })

      const pressed = (message: { readonly content: Json }, label: string) => {
        const button = discordButtons(message.content).find((one) => one.label === label)
        return Effect.map(
          at(`/chat/discord/${id}`, signedByDiscord(discordPress(message, button.custom_id, "ada", member))),
          ({ body }) => body
        )
      }
      yield* visitor.api("POST", "/escalation-policies", {
        name: "Platform",
        levels: [
          { afterMinutes: 30, targets: [{ type: "user", id: user.id }] },
          { afterMinutes: 60, targets: [{ type: "user", id: user.id }] }
        ]
      })
      const { body: { id: incidentId } } = yield* opened(visitor, "Billing is down")
      const message = yield* postedIn(chatId, "Billing is down")
      // Until level 1 has been paged, an escalation pages it.
      const page = yield* postedIn(dmOf(member), "Billing is down")
      expect(yield* pressed(message, "Escalate")).toMatchObject({
        type: 7,
        data: { content: expect.stringContaining("Escalated to level 2") }
      })
      // The page to the person has the same buttons.
      expect(yield* pressed(page, "Acknowledge")).toMatchObject({ type: 7 })
      const resolved = yield* pressed(message, "Resolve")
      expect([resolved.type, discordButtons(resolved.data).map(({ label }) => label)]).toEqual([7, ["Open"]])
      const { body: incident } = yield* visitor.api("GET", `/incidents/${incidentId}`)
      expect(incident).toMatchObject({ status: "resolved", acknowledgement: { by: email, via: "discord" } })
      expect(incident.updates.map(({ body }: Json) => body)).toContain(`Resolved by ${email} in Discord.`)

      // A viewer can do what everybody can who sees the message, and no more.
      const { body: other } = yield* opened(visitor, "Shipping is down")
      const last = yield* postedIn(chatId, "Shipping is down")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update memberships set role = 'viewer' where workspace_id = ${id} and user_id = ${user.id}`
      expect(yield* pressed(last, "Resolve")).toMatchObject({ type: 4, data: { flags: 64 } })
      expect(yield* pressed(last, "Acknowledge")).toMatchObject({ type: 7 })
      const { body: seen } = yield* visitor.api("GET", `/incidents/${other.id}`)
      expect(seen).toMatchObject({ status: "investigating", acknowledgement: { by: "ada (Discord)", via: "discord" } })
    }))

  it.effect("does nothing in another workspace, and is missing without the public key", () =>
    Effect.gen(function*() {
      const { id: own, visitor } = yield* newOwner()
      const { id: other, visitor: stranger } = yield* newOwner()
      yield* channelOf(visitor, "290926798626357251", { appSecret: discordApp.publicKey })
      yield* channelOf(stranger, "290926798626357252", { appSecret: discordApp.publicKey })
      yield* opened(visitor, "Ours is down")
      const message = yield* postedIn("290926798626357251", "Ours is down")
      const press = signedByDiscord(discordPress(message, discordButtons(message.content)[0].custom_id, "eve"))
      const { body } = yield* at(`/chat/discord/${other}`, press)
      expect(body).toMatchObject({ type: 4, data: { content: expect.stringContaining("invalid") } })
      const forged = signedByDiscord(discordPress(message, "acknowledge.nothing", "eve"))
      expect((yield* at(`/chat/discord/${own}`, forged)).body.type).toBe(4)

      const { visitor: plain } = yield* newOwner()
      expect((yield* channelOf(plain, "290926798626357253")).status).toBe(201)
      yield* opened(plain, "Plain is down")
      expect(discordButtons((yield* postedIn("290926798626357253", "Plain is down")).content)).toEqual([])
      for (
        const settings of [{ appSecret: "secret" }, { chatId: "general" }, { botToken: undefined }, {
          url: "https://discord.com/api/webhooks/1/a",
          botToken: undefined,
          chatId: undefined,
          appSecret: discordApp.publicKey
        }]
      ) expect((yield* channelOf(plain, "290926798626357254", settings)).status).toBe(422)
    }))
})

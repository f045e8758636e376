/** Direct messages in Slack, Telegram and Discord against local servers that speak their protocols. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { ChannelId, EventId, PagingId, WorkspaceId } from "../../../schema/Ids.ts"
import { judge } from "../../../src/domain/alert/DeliveryVerdict.ts"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import { ChannelAddresses, publicAddresses } from "../../../src/notify/alert/ChannelAddresses.ts"
import { type AppBot, ChatBots, type ChatBotService, type TelegramBot } from "../../../src/notify/chat/ChatBots.ts"
import type { ContactWayKind } from "../../../src/notify/way/WayKind.ts"
import { discord } from "../../../src/notify/way/ways/discord.ts"
import { slack } from "../../../src/notify/way/ways/slack.ts"
import { telegram } from "../../../src/notify/way/ways/telegram.ts"
import { discordApp, discordButtons, dmOf, localDiscord } from "../../support/services/LocalDiscord.ts"
import { buttonsOf, localSlack, slackApp } from "../../support/services/LocalSlack.ts"
import { localTelegram, telegramBot } from "../../support/services/LocalTelegram.ts"
import { loopback } from "../alert/Receiver.ts"

const id = "inc_01k9x2m4q8e7s9v3bthn5wza6c"
const startedAt = DateTime.unsafeMake("2026-11-20T03:00:00Z")
const workspaceId = WorkspaceId.make("ws_1")

const page = {
  _tag: "Page",
  pagingId: PagingId.make("pgn_1"),
  urgency: "high",
  title: "Checkout <is> *down*",
  text: "You are paged about it.",
  startedAt,
  incidentLink: `https://belltower.test/app/incidents/${id}`,
  acknowledgeLink: "https://belltower.test/ack/token",
  acknowledgeToken: "token"
} as const

interface Bots {
  readonly slack?: AppBot
  readonly discord?: AppBot
  readonly telegram?: TelegramBot
}

const botsOf = (bots: Bots): ChatBotService => ({
  app: (_, type) => Effect.succeed(Option.fromNullable(bots[type])),
  appSecrets: () => Effect.succeed([]),
  telegram: () => Effect.succeed(Option.fromNullable(bots.telegram)),
  telegramToken: () => Effect.succeed(Option.none()),
  updatesAt: () => "https://belltower.test/chat/telegram/ws_1",
  updatesSecret: () => "secret",
  isUpdatesSecret: () => false
})

const handed = (
  kind: ContactWayKind,
  address: object,
  bots: Bots,
  addresses: Partial<typeof publicAddresses>,
  pagingId = page.pagingId
) =>
  kind.send({
    eventId: EventId.make("evt_1"),
    workspaceId,
    channelId: ChannelId.make("way_1"),
    body: kind.compose({ ...page, pagingId }),
    signing: [],
    timeoutMs: 5000
  }, address).pipe(
    Effect.map((answer) => judge(answer, 1, startedAt)),
    Effect.provideService(ChatBots, botsOf(bots)),
    Effect.provideService(ChannelAddresses, { ...publicAddresses, ...addresses }),
    Effect.provide(Layer.fresh(EgressGuard.Default({ allow: loopback })))
  )

describe("a direct message in Slack", () => {
  it.scopedLive("about a page is posted once, however often it is attempted", () =>
    Effect.gen(function*() {
      const local = yield* localSlack
      const attempt = (pagingId: string) =>
        handed(
          slack,
          { member: "U01" },
          { slack: { botToken: slackApp.token, appSecret: slackApp.secret } },
          { slack: local.api },
          PagingId.make(pagingId)
        )
      const [one, other] = ["pgn_01k9x2m4q8e7s9v3bthn5wza6c", "pgn_01k9x2m4q8e7s9v3bthn5wza6d"]
      for (const id of [one, one, other]) expect(yield* attempt(id)).toMatchObject({ _tag: "Delivered" })
      expect(local.posted.map(({ id }) => id)).toEqual([
        "019a7a2a-12e8-71f2-9d8d-7a8d4bcfa8cc",
        "019a7a2a-12e8-71f2-9d8d-7a8d4bcfa8cd"
      ])
      expect(local.asked).toHaveLength(3)
    }))

  it.scopedLive("has buttons if presses can be believed, else links, and a member who is gone ends the way", () =>
    Effect.gen(function*() {
      const local = yield* localSlack
      const send = (member: string, appSecret: string | null, botToken = slackApp.token) =>
        handed(slack, { member }, { slack: { botToken, appSecret } }, { slack: local.api })
      expect(yield* send("U01", slackApp.secret)).toMatchObject({ _tag: "Delivered", statusCode: 200 })
      expect(yield* send("U01", null)).toMatchObject({ _tag: "Delivered" })
      expect(local.posted.map(({ channel, content }) => [channel, buttonsOf(content)])).toEqual([
        ["U01", ["Acknowledge", "Resolve", "Escalate", "Open"]],
        ["U01", ["Acknowledge"]]
      ])
      expect(JSON.stringify(local.posted[1]?.content)).toContain("https://belltower.test/ack/token")
      expect(local.posted[0]?.content.text).toBe("Checkout &lt;is&gt; *down*")

      local.refusals.set("U02", "channel_not_found").set("U03", "ratelimited").set("U04", "something_new")
      expect(yield* send("U02", null)).toMatchObject({ _tag: "Dead", isProblem: true })
      expect(yield* send("U03", null)).toMatchObject({ _tag: "Again" })
      expect(yield* send("U04", null)).toMatchObject({ _tag: "Dead", error: expect.stringContaining("something_new") })
      // The app's fault ends no way.
      const refused = yield* send("U01", null, "xoxb-another-token")
      expect(refused).toMatchObject({ _tag: "Dead", error: expect.stringContaining("does not accept the bot token") })
      expect("isProblem" in refused).toBe(false)
      expect(JSON.stringify(refused)).not.toContain("xoxb-another-token")
      expect(yield* handed(slack, { member: "U01" }, {}, {})).toMatchObject({
        _tag: "Dead",
        error: expect.stringContaining("no Slack channel")
      })
    }))

  it.scopedLive("finds the member by the person's email, unless the input names one", () =>
    Effect.gen(function*() {
      const local = yield* localSlack
      local.members.set("ada@example.com", "U0ADA")
      const find = (email: string, member?: string) =>
        slack.find({ kind: "slack", ...(member === undefined ? {} : { member }) }, email, workspaceId).pipe(
          Effect.provideService(ChatBots, botsOf({ slack: { botToken: slackApp.token, appSecret: null } })),
          Effect.provideService(ChannelAddresses, { ...publicAddresses, slack: local.api }),
          Effect.provide(Layer.fresh(EgressGuard.Default({ allow: loopback })))
        )
      expect(yield* find("ada@example.com")).toEqual({ kind: "slack", member: "U0ADA" })
      expect(yield* find("ada@example.com", "U0BEN")).toEqual({ kind: "slack", member: "U0BEN" })
      expect(yield* Effect.flip(find("eve@example.com"))).toMatchObject([{
        path: "member",
        message: expect.stringContaining("email")
      }])
    }))
})

describe("a message of a Telegram bot to a person", () => {
  it.scopedLive("has buttons if the bot reports here, and ends with a person who blocked it, not with a bad token", () =>
    Effect.gen(function*() {
      const local = yield* localTelegram
      const send = (chatId: string, buttons: boolean, botToken = telegramBot.token) =>
        handed(telegram, { chatId }, { telegram: { botToken, buttons } }, { telegram: local.url })
      expect(yield* send("42", true)).toMatchObject({ _tag: "Delivered" })
      expect(yield* send("42", false)).toMatchObject({ _tag: "Delivered" })
      expect([local.labels(1), local.labels(2)]).toEqual([["Acknowledge", "Resolve", "Escalate"], []])
      expect(local.sent[1].text).toContain("(https://belltower.test/ack/token)")
      local.blocked.add("43")
      expect(yield* send("43", true)).toMatchObject({ _tag: "Dead", isProblem: true })
      const refused = yield* send("42", true, "123456:another")
      expect(refused).toMatchObject({ _tag: "Dead", error: expect.stringContaining("does not know the bot token") })
      expect("isProblem" in refused).toBe(false)
      expect(yield* handed(telegram, {}, { telegram: { botToken: telegramBot.token, buttons: true } }, { telegram: local.url }))
        .toMatchObject({ _tag: "Dead", error: expect.stringContaining("not started the bot") })
    }))
})

describe("a direct message in Discord", () => {
  const member = "290926798626357251"

  it.scopedLive("about a page is posted once, with buttons if presses can be believed", () =>
    Effect.gen(function*() {
      const local = yield* localDiscord
      const send = (appSecret: string | null, pagingId: string) =>
        handed(
          discord,
          { member },
          { discord: { botToken: discordApp.token, appSecret } },
          { discord: local.url },
          PagingId.make(pagingId)
        )
      const [one, other] = ["pgn_01k9x2m4q8e7s9v3bthn5wza6c", "pgn_01k9x2m4q8e7s9v3bthn5wza6d"]
      expect(yield* send(discordApp.publicKey, one)).toMatchObject({ _tag: "Delivered", statusCode: 200 })
      expect(yield* send(discordApp.publicKey, one)).toMatchObject({ _tag: "Delivered" })
      expect(yield* send(null, other)).toMatchObject({ _tag: "Delivered" })
      expect(local.posted.map(({ channel, content }) => [channel, discordButtons(content).map(({ label }) => label)])).toEqual([
        [dmOf(member), ["Acknowledge", "Resolve", "Escalate", "Open"]],
        [dmOf(member), []]
      ])
      expect(local.posted[1]?.content.embeds[0].url).toBe("https://belltower.test/ack/token")
    }))

  it.scopedLive("ends the way to a person whom the bot cannot write to, not with a fault of the application", () =>
    Effect.gen(function*() {
      const local = yield* localDiscord
      const send = (botToken = discordApp.token) =>
        handed(discord, { member }, { discord: { botToken, appSecret: null } }, { discord: local.url })
      local.refused.set(member, 50007)
      expect(yield* send()).toMatchObject({ _tag: "Dead", isProblem: true, error: expect.stringContaining("no server") })
      local.refused.set(member, 50001)
      expect("isProblem" in (yield* send())).toBe(false)
      const refused = yield* send("MTk4.another-token")
      expect(refused).toMatchObject({ _tag: "Dead", error: expect.stringContaining("does not know the bot token") })
      expect("isProblem" in refused).toBe(false)
      expect(JSON.stringify(refused)).not.toContain("another-token")
      expect(yield* handed(discord, { member }, {}, {})).toMatchObject({
        _tag: "Dead",
        error: expect.stringContaining("no Discord channel")
      })
    }))
})

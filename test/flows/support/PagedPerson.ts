/** People who are paged by every way of the program, and the local services of these ways, which count what arrives. */
import { SqlClient } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { AddedWayKind, PagingRulesInput } from "../../../schema/oncall/Way.ts"
import { signedIn } from "../../support/database/SignedIn.ts"
import { type Json, testBaseUrl } from "../../support/program/TestServer.ts"
import { discordApp, dmOf, localDiscord } from "../../support/services/LocalDiscord.ts"
import { localSlack, slackApp } from "../../support/services/LocalSlack.ts"
import { localTelegram, telegramBot } from "../../support/services/LocalTelegram.ts"
import { localTwilio, spokenIn, twilioAccount } from "../../support/services/LocalTwilio.ts"
import { pushService } from "../../support/services/PushService.ts"
import { type Client, request } from "./Client.ts"

/** The services, with the settings of a program that uses them. */
export const makePagingServices = Effect.gen(function*() {
  const push = yield* pushService()
  const slack = yield* localSlack
  const telegram = yield* localTelegram
  const twilio = yield* localTwilio
  const discord = yield* localDiscord
  return {
    push,
    slack,
    telegram,
    twilio,
    discord,
    env: {
      BELLTOWER_URL: testBaseUrl,
      BELLTOWER_SLACK_URL: slack.api,
      BELLTOWER_TELEGRAM_URL: telegram.url,
      BELLTOWER_DISCORD_URL: discord.url,
      BELLTOWER_TWILIO_ACCOUNT_SID: twilioAccount.sid,
      BELLTOWER_TWILIO_AUTH_TOKEN: twilioAccount.token,
      BELLTOWER_TWILIO_FROM: "+15005550006",
      BELLTOWER_TWILIO_URL: twilio.url,
      // As many as a story needs.
      BELLTOWER_PHONE_PERSON_AN_HOUR: "1000",
      BELLTOWER_PHONE_WORKSPACE_A_DAY: "1000"
    },
    /** How long all of them keep an answer back once they have taken a request, ms. */
    wait: (ms: number): void => [push, slack, telegram, twilio, discord].forEach((service) => service.wait(ms))
  }
})
export type PagingServices = Effect.Effect.Success<typeof makePagingServices>

/** The channels whose bots write to people. */
export const addBots = Effect.fn("addBots")(function*(agent: Client) {
  const added = [
    yield* agent.post("/channels", { name: "Slack", type: "slack", botToken: slackApp.token, chatId: "C1", events: [] }),
    yield* agent.post("/channels", { name: "Telegram", type: "telegram", botToken: telegramBot.token, chatId: "-1", events: [] }),
    yield* agent.post("/channels", {
      name: "Discord",
      type: "discord",
      botToken: discordApp.token,
      chatId: "290926798626357250",
      events: []
    })
  ]
  expect(added.map(({ status }) => status)).toEqual([201, 201, 201])
})

let people = 0

/** A member with these ways, each proved by the code that went there. */
export const newPagedPerson = Effect.fn("newPagedPerson")(function*(
  { discord, push, slack, telegram, twilio }: PagingServices,
  sql: SqlClient.SqlClient,
  baseUrl: () => string,
  workspaceId: WorkspaceId,
  kinds: ReadonlyArray<AddedWayKind>
) {
  const number = ++people
  const ada = yield* Effect.provideService(signedIn(workspaceId, "member", `Person ${number}`), SqlClient.SqlClient, sql)
  const at = {
    device: `device-${number}`,
    member: `U${number}`,
    user: String(290926798626350000n + BigInt(number)),
    chatId: String(1000 + number),
    phone: `+49301${1000 + number}`
  }
  const asAda = (path: string, body: object, method = "POST") =>
    request(`${baseUrl()}/api/v1/oncall/members/${ada.userId}${path}`, {
      method,
      headers: { ...ada.headers, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
  /** What each service has for this person, in order. */
  const arrived: Readonly<Record<AddedWayKind, () => ReadonlyArray<string>>> = {
    push: () => push.seen.filter(({ device }) => device === at.device).map(({ data }) => data),
    slack: () => slack.posted.filter(({ channel }) => channel === at.member).map(({ content }) => JSON.stringify(content)),
    telegram: () => telegram.sent.filter(({ chat_id: chat }: Json) => String(chat) === at.chatId).map(({ shown }: Json) => shown),
    discord: () =>
      discord.posted.filter(({ channel }) => channel === dmOf(at.user)).map(({ content }) => JSON.stringify(content)),
    sms: () => twilio.ordersTo(at.phone).filter(({ by }) => by === "sms").map(({ content }) => content),
    voice: () => twilio.ordersTo(at.phone).filter(({ by }) => by === "voice").map(({ content }) => spokenIn(content)[0] ?? "")
  }
  const address = (kind: AddedWayKind): object => {
    switch (kind) {
      case "push":
        return push.subscribe(at.device)
      case "slack":
        return { member: at.member }
      case "telegram":
        return { chatId: at.chatId }
      case "discord":
        return { member: at.user }
      case "sms":
      case "voice":
        return { phone: at.phone }
    }
  }
  for (const kind of kinds) {
    const added = yield* asAda("/ways", { kind, ...address(kind) })
    expect(added).toMatchObject({ status: 201 })
    if (kind === "push") continue
    const code = /\d{6}/.exec((arrived[kind]().at(-1) ?? "").replaceAll(", ", ""))?.[0]
    expect((yield* asAda(`/ways/${added.body.id}/verify`, { code })).body).toMatchObject({ usable: true })
  }
  return {
    id: ada.userId,
    phone: at.phone,
    setRules: (high: NonNullable<PagingRulesInput["high"]>) =>
      Effect.map(asAda("/rules", { high }, "PATCH"), ({ status }) => expect(status).toBe(200)),
    /** How often each way has got a page with this title. */
    pages: (kind: AddedWayKind, title: string): number => arrived[kind]().filter((text) => text.includes(title)).length
  }
})

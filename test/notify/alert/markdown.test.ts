/** The Markdown of an update at each channel: in the service's own syntax, or as plain text; at webhooks, as written. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ChannelSettings } from "../../../schema/alert/Channel.ts"
import type { ChannelKind } from "../../../src/notify/alert/ChannelKind.ts"
import { discord } from "../../../src/notify/alert/channels/discord.ts"
import { ntfy } from "../../../src/notify/alert/channels/ntfy.ts"
import { opsgenie } from "../../../src/notify/alert/channels/opsgenie.ts"
import { pagerduty } from "../../../src/notify/alert/channels/pagerduty.ts"
import { slack } from "../../../src/notify/alert/channels/slack.ts"
import { teams } from "../../../src/notify/alert/channels/teams.ts"
import { telegram } from "../../../src/notify/alert/channels/telegram.ts"
import { telegramProblem } from "../../support/services/TelegramEntities.ts"
import { attempt, down, written } from "./ChannelAttempt.ts"
import { answering, receiver } from "./Receiver.ts"

const source = "**Slow**: see [status](https://acme.test/s) @here <!channel>"
const plain = "Slow: see status (https://acme.test/s) @here <!channel>"

const received = (kind: ChannelKind, settings: (url: string) => ChannelSettings, event = written(false, null, source)) =>
  Effect.gen(function*() {
    const { seen, url } = yield* receiver(answering(200))
    const base = new URL(url).origin
    yield* attempt(kind, settings(url), event, { telegram: base, ntfy: base, pagerduty: base, opsgenie: base })
    return seen[0]?.body ?? ""
  })

const atUrl = (url: string): ChannelSettings => ({ url })

it.scopedLive("Slack, Discord, Telegram and Teams format it, and mention nobody", () =>
  Effect.gen(function*() {
    const bySlack = JSON.parse(yield* received(slack, atUrl))
    expect(bySlack.attachments[0].blocks[1].text.text).toBe(
      "*Slow*: see <https://acme.test/s|status> @here &lt;!channel&gt;"
    )
    const byDiscord = JSON.parse(yield* received(discord, atUrl))
    expect(byDiscord.embeds[0].description).toBe("**Slow**: see [status](https://acme.test/s) \\@here \\<!channel\\>")
    const byTelegram = JSON.parse(yield* received(telegram, () => ({ botToken: "1:a", chatId: "1" })))
    expect(byTelegram.text).toContain("*Slow*: see [status](https://acme.test/s) @here <\\!channel\\>")
    expect(telegramProblem(byTelegram.text)).toBeNull()
    const byTeams = JSON.parse(yield* received(teams, atUrl))
    expect(byTeams.attachments[0].content.body[1].text).toBe("**Slow**: see [status](https://acme.test/s) @here \\<!channel\\>")
  }))

it.scopedLive("services that format nothing get plain text", () =>
  Effect.gen(function*() {
    expect(JSON.parse(yield* received(ntfy, () => ({ topic: "alerts" }))).message).toContain(plain)
    expect(yield* received(pagerduty, () => ({ token: "a".repeat(32) }))).toContain(plain)
    expect(yield* received(opsgenie, () => ({ token: "a".repeat(36) }))).toContain(plain)
  }))

it.scopedLive("what a target answered is no Markdown", () =>
  Effect.gen(function*() {
    const event = { ...down, data: JSON.parse(JSON.stringify(down.data).replace("Answered 503", "**[x](https://evil.test)**")) }
    const { attachments: [{ blocks }] } = JSON.parse(yield* received(slack, atUrl, event))
    expect(blocks[1].text.text).toContain("**[x](https://evil.test)**")
  }))

/** Slack, Discord and Teams: what their webhooks receive, and what becomes of each of their refusals. */
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import type { ServerResponse } from "node:http"
import { mask } from "../../../schema/Mask.ts"
import { discord } from "../../../src/notify/alert/channels/discord.ts"
import { slack } from "../../../src/notify/alert/channels/slack.ts"
import { teams } from "../../../src/notify/alert/channels/teams.ts"
import { attempt, awkward, down, ping, up } from "./ChannelAttempt.ts"
import { answering, type Received, receiver } from "./Receiver.ts"

interface SlackBlock {
  readonly type: string
  readonly text?: { readonly type: string; readonly text: string }
  readonly fields?: ReadonlyArray<{ readonly text: string }>
}

/** Refuses what Slack refuses: unknown blocks, texts over their limits, and angle brackets that form no link. */
const slackRefuses = (body: string): boolean => {
  const { attachments, text } = JSON.parse(body) as {
    readonly text: string
    readonly attachments: ReadonlyArray<{ readonly blocks: ReadonlyArray<SlackBlock> }>
  }
  const blocks = attachments.flatMap((one) => one.blocks)
  return text === "" || /[<>]/.test(text) || blocks.length > 50 || blocks.some((block) =>
    block.type === "header"
      ? block.text?.type !== "plain_text" || block.text.text.length > 150
      : block.type === "section"
      ? (block.text === undefined && block.fields === undefined) || (block.text?.text.length ?? 1) > 3000 ||
        (block.fields?.length ?? 0) > 10 || [block.text, ...(block.fields ?? [])].some((one) => /[<>]/.test(one?.text ?? ""))
      : block.type !== "actions"
  )
}

const judging = (refuses: (body: string) => boolean, good: number) => (response: ServerResponse, _: number, { body }: Received) =>
  void response.writeHead(refuses(body) ? 400 : good).end(refuses(body) ? "invalid_payload" : "ok")

describe("a Slack channel", () => {
  it.scopedLive("posts blocks that Slack accepts, with the alert's text, facts and link", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(judging(slackRefuses, 200))
      for (const event of [down, up, ping]) {
        expect((yield* attempt(slack, { url }, event)).verdict).toMatchObject({ _tag: "Delivered", statusCode: 200 })
      }
      expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({
        attachments: [{
          color: "#d92d20",
          blocks: [
            { type: "header", text: { text: `${awkward} is down: 503 Service Unavailable` } },
            { type: "section", text: { text: "Answered 503 (expected 200-299) &amp; &lt;nothing&gt;" } },
            {
              fields: [
                { text: "*Time*\nNov 20, 2026, 08:00 UTC" },
                { text: "*Target*\nhttps://shop.example/" },
                { text: "*Status code*\n503" },
                {},
                {}
              ]
            },
            { elements: [{ url: "https://belltower.example/app/incidents/inc_1" }] }
          ]
        }]
      })
    }))

  it.scopedLive("gives up on what no retry can mend, and says what to do without repeating the response", () =>
    Effect.gen(function*() {
      for (const [status, words] of [[404, "create a new one"], [410, "archived"], [403, "admin"], [400, "refuses"]] as const) {
        const { url } = yield* receiver((response) => void response.writeHead(status).end("internal secret"))
        const { verdict } = yield* attempt(slack, { url })
        expect(verdict).toMatchObject({ _tag: "Dead", statusCode: status, error: expect.stringContaining(words) })
        expect(JSON.stringify(verdict)).not.toContain("internal secret")
      }
    }))

  it.scopedLive("tries again after 429 and 5xx, after the wait that Slack asks for", () =>
    Effect.gen(function*() {
      const limited = yield* receiver(answering(429, { "retry-after": "90" }))
      const first = (yield* attempt(slack, { url: limited.url })).verdict
      expect(first).toMatchObject({ _tag: "Again", at: { epochMillis: Date.parse("2026-11-20T08:01:30Z") } })
      const broken = yield* receiver(answering(500))
      expect((yield* attempt(slack, { url: broken.url })).verdict).toMatchObject({ _tag: "Again" })
    }))

  it.scopedLive("shows only the origin of its URL, and keeps the URL when that is sent back", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(answering(200))
      const { stored } = yield* attempt(slack, { url })
      expect(stored.shown.url).toBe(`${new URL(url).origin}/${mask}`)
      expect(JSON.stringify(stored.shown)).not.toContain("/hook")
      expect(stored.sealed).toEqual({ url })
    }))
})

describe("a Discord channel", () => {
  const refuses = (body: string): boolean => {
    const { allowed_mentions: mentions, embeds: [embed] } = JSON.parse(body)
    const size = [
      embed.title,
      embed.description ?? "",
      ...embed.fields.flatMap((one: { name: string; value: string }) => [one.name, one.value])
    ]
      .join("").length
    return mentions.parse.length > 0 || embed.title.length > 256 || (embed.description ?? "").length > 4096 ||
      embed.fields.length > 25 || embed.fields.some(({ value }: { value: string }) => value === "" || value.length > 1024) ||
      size > 6000
  }

  it.scopedLive("posts an embed within Discord's limits that mentions nobody", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(judging(refuses, 204))
      expect((yield* attempt(discord, { url })).verdict).toMatchObject({ _tag: "Delivered", statusCode: 204 })
      const { embeds: [embed] } = JSON.parse(seen[0]?.body ?? "")
      expect(embed).toMatchObject({
        color: 0xd92d20,
        url: "https://belltower.example/app/incidents/inc_1",
        timestamp: "2026-11-20T08:00:00.000Z"
      })
      expect(embed.title).toContain("\\*Shop\\*")
    }))

  it.scopedLive("gives up when the webhook is gone, and waits as long as Discord asks", () =>
    Effect.gen(function*() {
      const gone = yield* receiver(answering(404))
      expect((yield* attempt(discord, { url: gone.url })).verdict).toMatchObject({ _tag: "Dead", statusCode: 404 })
      const limited = yield* receiver(answering(429, { "retry-after": "45" }))
      const { answer } = yield* attempt(discord, { url: limited.url })
      expect(answer._tag === "Answered" ? Option.getOrNull(answer.retryAfter) : null).toEqual(Duration.seconds(45))
    }))
})

describe("a Teams channel", () => {
  it.scopedLive("posts an Adaptive Card", () =>
    Effect.gen(function*() {
      const { seen, url } = yield* receiver(answering(202))
      expect((yield* attempt(teams, { url })).verdict).toMatchObject({ _tag: "Delivered", statusCode: 202 })
      const { attachments: [{ content, contentType }], type } = JSON.parse(seen[0]?.body ?? "")
      expect([type, contentType, content.type]).toEqual(["message", "application/vnd.microsoft.card.adaptive", "AdaptiveCard"])
      expect(content.actions).toEqual([
        { type: "Action.OpenUrl", title: "Open incident", url: "https://belltower.example/app/incidents/inc_1" }
      ])
    }))

  it.scopedLive("gives up when the workflow is gone", () =>
    Effect.gen(function*() {
      const { url } = yield* receiver(answering(404))
      expect((yield* attempt(teams, { url })).verdict).toMatchObject({ _tag: "Dead", error: expect.stringContaining("workflow") })
    }))
})

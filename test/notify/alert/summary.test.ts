/** The message for many alerts, in each service's own format: it leads to what it lists. */
import { describe, expect, it } from "@effect/vitest"
import type { ChannelKind } from "../../../src/notify/alert/ChannelKind.ts"
import { discord } from "../../../src/notify/alert/channels/discord.ts"
import { ntfy } from "../../../src/notify/alert/channels/ntfy.ts"
import { slack } from "../../../src/notify/alert/channels/slack.ts"
import { teams } from "../../../src/notify/alert/channels/teams.ts"
import { telegram } from "../../../src/notify/alert/channels/telegram.ts"
import { storm, stormUrl } from "./ChannelAttempt.ts"

const rendered = (kind: ChannelKind, event = storm): unknown => JSON.parse(kind.render(event, null))

const button = { type: "button", text: { type: "plain_text", text: "Open monitors" }, url: stormUrl }

describe("the summary of a storm", () => {
  it("has a button in Slack", () => {
    const { attachments: [{ blocks }] } = rendered(slack) as { attachments: [{ blocks: ReadonlyArray<unknown> }] }
    expect(blocks.at(-1)).toEqual({ type: "actions", elements: [button] })
  })

  it("has a title that is a link in Discord", () => {
    expect(rendered(discord)).toMatchObject({ embeds: [{ title: "2 monitors are down", url: stormUrl }] })
  })

  it("ends with a link in Telegram", () => {
    const { text } = rendered(telegram) as { text: string }
    expect(text.split("\n\n").at(-1)).toBe(`[Open monitors](${stormUrl})`)
  })

  it("has an action in Teams and ntfy", () => {
    expect(rendered(teams)).toMatchObject({
      attachments: [{ content: { actions: [{ type: "Action.OpenUrl", title: "Open monitors", url: stormUrl }] } }]
    })
    expect(rendered(ntfy)).toMatchObject({ click: stormUrl, actions: [{ label: "Open monitors", url: stormUrl }] })
  })

  it("gives the last check's error as the reason of what is down, not of what is up again", () => {
    const data = storm.data as { readonly down: { readonly monitors: ReadonlyArray<Record<string, unknown>> } }
    const slow = { count: 1, monitors: data.down.monitors.slice(0, 1).map((one) => ({ ...one, error: "Took 3 s" })) }
    const textOf = (change: "down" | "up") => JSON.stringify(rendered(ntfy, { ...storm, data: { ...data, [change]: slow } }))
    expect([textOf("down").includes("Took 3 s"), textOf("up").includes("Took 3 s")]).toEqual([true, false])
  })

  it("has no link if its event has none", () => {
    const { url: _, ...data } = storm.data as Record<string, unknown>
    expect(rendered(discord, { ...storm, data })).toMatchObject({ embeds: [{ title: "2 monitors are down" }] })
    expect(JSON.stringify(rendered(slack, { ...storm, data }))).not.toContain("actions")
  })
})

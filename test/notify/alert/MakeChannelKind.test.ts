/** Consequences of a channel kind's schema: which settings it takes, which it shows, and which it seals. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { channelSetting, type ChannelSettings } from "../../../schema/alert/Channel.ts"
import { optional } from "../../../schema/Fields.ts"
import { ChannelId, EventId, WorkspaceId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import { Answer } from "../../../src/domain/alert/DeliveryVerdict.ts"
import { EgressGuard } from "../../../src/egress/EgressGuard.ts"
import { makeChannelKind, type StoredSettings } from "../../../src/notify/alert/ChannelKind.ts"

/** Answers an attempt with the settings that it was given. */
const kind = makeChannelKind({
  type: "slack",
  settings: Schema.Struct({
    url: channelSetting.url,
    botToken: optional(channelSetting.botToken),
    chatId: optional(channelSetting.chatId)
  }),
  sealed: { url: (url) => `${new URL(url).origin}/...`, botToken: () => undefined },
  signs: false,
  problems: ({ chatId }) => Effect.succeed(chatId === "nowhere" ? [{ path: "chatId", message: "There is no such chat" }] : []),
  render: ({ id }) => id,
  send: (_, settings) => Effect.succeed(Answer.Unanswered({ reason: JSON.stringify(settings) }))
})

const url = "https://hooks.example.com/secret"
const nothing: StoredSettings = { shown: {}, sealed: {} }

const settle = (given: ChannelSettings, stored: StoredSettings = nothing) =>
  kind.settle(given, stored).pipe(Effect.provide(EgressGuard.Default({ allow: [] })))

const ids = { eventId: EventId.make("evt_1"), workspaceId: WorkspaceId.make("ws_1"), channelId: ChannelId.make("ch_1") }

const sent = (stored: StoredSettings) =>
  kind.send({ ...ids, body: "", signing: [], timeoutMs: 1000 }, stored).pipe(
    Effect.provide(EgressGuard.Default({ allow: [] }))
  )

describe("a channel kind", () => {
  it.effect("seals its secret settings and shows their masks, or nothing", () =>
    Effect.gen(function*() {
      expect(yield* settle({ url, botToken: "secret", chatId: "42" })).toEqual({
        shown: { url: "https://hooks.example.com/...", headers: {}, chatId: "42" },
        sealed: { url, botToken: "secret" }
      })
    }))

  it.effect("sends with the settings as they were given", () =>
    Effect.gen(function*() {
      const given = { url, botToken: "secret", chatId: "42" }
      expect(yield* sent(yield* settle(given))).toEqual(Answer.Unanswered({ reason: JSON.stringify(given) }))
    }))

  it.effect("keeps the settings that an update leaves out", () =>
    Effect.gen(function*() {
      const stored = yield* settle({ url, botToken: "secret", chatId: "42" })
      expect(yield* settle({ chatId: "43" }, stored)).toEqual({
        shown: { ...stored.shown, chatId: "43" },
        sealed: stored.sealed
      })
    }))

  it.effect("removes an optional setting by null, and takes empty ones of other types, as records have them", () =>
    Effect.gen(function*() {
      const stored = yield* settle({ url, botToken: "secret", chatId: "42" })
      const record = { emails: [], headers: {}, token: null, chatId: null }
      expect(yield* settle({ ...record, botToken: null }, stored)).toEqual({
        shown: { url: "https://hooks.example.com/...", headers: {} },
        sealed: { url }
      })
      expect(yield* settle(record, stored)).toEqual({ shown: { url: stored.shown["url"], headers: {} }, sealed: stored.sealed })
      expect(yield* Effect.flip(settle({ url: null }, stored))).toEqual([
        { path: "url", message: "url is required for slack channels" }
      ])
    }))

  it.effect("refuses, all together, what is missing, what it does not take and what it finds wrong itself", () =>
    Effect.gen(function*() {
      expect(yield* Effect.flip(settle({ emails: [Schema.decodeSync(EmailAddress)("a@b.example")], chatId: "nowhere" }))).toEqual(
        [
          { path: "url", message: "url is required for slack channels" },
          { path: "emails", message: "emails is not a setting of slack channels" },
          { path: "chatId", message: "There is no such chat" }
        ]
      )
    }))

  it.effect("never uses what the record shows in place of a secret", () =>
    Effect.gen(function*() {
      const stored = yield* settle({ url })
      expect(yield* sent({ shown: stored.shown, sealed: {} })).toMatchObject({ _tag: "Impossible" })
    }))
})

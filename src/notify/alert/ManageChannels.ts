/** Creates, changes and tests alert channels on a member's behalf. */
import { DateTime, Effect, Option } from "effect"
import { randomBytes } from "node:crypto"
import type { Channel, ChannelInput, ChannelUpdate, ChannelWithSecret } from "../../../schema/alert/Channel.ts"
import { ValidationFailed } from "../../../schema/Errors.ts"
import { ChannelId, type WorkspaceId } from "../../../schema/Ids.ts"
import { Verdict } from "../../domain/alert/DeliveryVerdict.ts"
import { makeSecret, rotate } from "../../domain/alert/Signature.ts"
import { Channels, type ChannelState } from "../../store/alert/Channels.ts"
import { Deliveries } from "../../store/alert/Deliveries.ts"
import { mint } from "../../store/Mint.ts"
import { requireClaimed } from "../mail/EmailFeatures.ts"
import { attempt } from "./Attempt.ts"
import type { ChannelKind, GivenSettings, Problem, Setting } from "./ChannelKind.ts"
import { availableTypes, channelKinds } from "./channelKinds.ts"

const settings: ReadonlyArray<Setting> = ["emails", "url", "headers", "botToken", "chatId"]

const refuse = (message: string, details: ReadonlyArray<Problem>, hint?: string) =>
  new ValidationFailed({ message, details, ...(hint === undefined ? {} : { hint }) })

const freshSecret = Effect.sync(() => makeSecret(randomBytes(32)))

const kindOf = (type: Channel["type"]) => {
  const kind = channelKinds[type]
  const message = `Alert channels of type ${type} do not exist yet`
  return kind === null
    ? Effect.fail(refuse(message, [{ path: "type", message }], `Types that exist today: ${availableTypes}`))
    : Effect.succeed(kind)
}

/** Settings given but not taken, and settings wrong in themselves. */
const vet = Effect.fn("ManageChannels.vet")(function*(
  kind: ChannelKind,
  type: Channel["type"],
  given: GivenSettings & { readonly [Key in Setting]?: unknown },
  needed: ReadonlyArray<Setting>
) {
  const problems: ReadonlyArray<Problem> = [
    ...needed.filter((setting) => given[setting] === undefined)
      .map((setting) => ({ path: setting, message: `${setting} is required for ${type} channels` })),
    ...settings.filter((setting) => given[setting] !== undefined && !kind.takes.includes(setting))
      .map((setting) => ({ path: setting, message: `${setting} does not belong to ${type} channels` })),
    ...(yield* kind.problems(given))
  ]
  const [first, ...rest] = problems
  if (first === undefined) return
  return yield* refuse(rest.length === 0 ? first.message : "Several settings cannot be used", problems)
})

/** An empty list would be a channel that never rings; `enabled` is there to silence one. */
const listOrNull = (events: ReadonlyArray<string> | null | undefined): ReadonlyArray<string> | null =>
  events === undefined || events === null || events.length === 0 ? null : events

/** The channel with its signing secret, which is told this once. */
export const createChannel = Effect.fn("ManageChannels.create")(function*(workspaceId: WorkspaceId, input: ChannelInput) {
  const channels = yield* Channels
  if (input.type === "email") yield* requireClaimed(workspaceId, "Email channels")
  const kind = yield* kindOf(input.type)
  yield* vet(kind, input.type, input, kind.needs)
  const now = yield* DateTime.now
  const channel: Channel = {
    id: yield* mint("ch", ChannelId),
    name: input.name,
    type: input.type,
    url: input.url ?? null,
    headers: Object.keys(input.headers ?? {}),
    events: listOrNull(input.events),
    isDefault: input.isDefault ?? true,
    enabled: input.enabled ?? true,
    createdAt: now,
    updatedAt: now
  }
  const signingSecret = yield* freshSecret
  const signing = kind.signs ? [{ secret: signingSecret, until: null }] : []
  yield* channels.insert(workspaceId, { channel, secrets: { signing, headers: input.headers ?? {} } })
  const told: ChannelWithSecret = kind.signs ? { ...channel, signingSecret } : channel
  return told
})

const changed = (channel: Channel, update: ChannelUpdate, now: DateTime.Utc): Channel => ({
  ...channel,
  name: update.name ?? channel.name,
  url: update.url ?? channel.url,
  headers: update.headers === undefined ? channel.headers : Object.keys(update.headers),
  events: update.events === undefined ? channel.events : listOrNull(update.events),
  isDefault: update.isDefault ?? channel.isDefault,
  enabled: update.enabled ?? channel.enabled,
  updatedAt: now
})

/** The changed channel, with the new signing secret where it was rotated; none where there is no such channel. */
export const updateChannel = Effect.fn("ManageChannels.update")(function*(
  workspaceId: WorkspaceId,
  id: ChannelId,
  update: ChannelUpdate
) {
  const channels = yield* Channels
  const now = yield* DateTime.now
  const fresh = yield* freshSecret
  const next = Effect.fn("ManageChannels.next")(function*({ channel, secrets }: ChannelState) {
    if (update.type !== undefined && update.type !== channel.type) {
      const message = "The type of a channel cannot be changed; create another channel"
      return yield* refuse(message, [{ path: "type", message }])
    }
    const kind = yield* kindOf(channel.type)
    yield* vet(kind, channel.type, update, [])
    const rotates = update.rotateSecret === true && kind.signs
    return {
      channel: changed(channel, update, now),
      secrets: {
        signing: rotates ? rotate(secrets.signing, fresh, DateTime.toEpochMillis(now)) : secrets.signing,
        headers: update.headers ?? secrets.headers
      }
    }
  })
  const done = yield* channels.change(workspaceId, id, next)
  return Option.map(
    done,
    ({ channel, secrets }): ChannelWithSecret =>
      secrets.signing[0]?.secret === fresh ? { ...channel, signingSecret: fresh } : channel
  )
})

/**
 * Sends `test.ping` at once, also to a disabled channel: people test before they switch on. It is one attempt, whose result
 * is told here; none where there is no such channel.
 */
export const testChannel = Effect.fn("ManageChannels.test")(function*(workspaceId: WorkspaceId, id: ChannelId) {
  const deliveries = yield* Deliveries
  const recorded = yield* deliveries.recordTest(workspaceId, id)
  if (Option.isNone(recorded)) return Option.none()
  const delivery = recorded.value
  const answered = yield* attempt(delivery)
  const verdict = Verdict.$is("Again")(answered) ? Verdict.Dead(answered) : answered
  yield* deliveries.settle(delivery, verdict, yield* DateTime.now)
  return Option.some({
    eventId: delivery.eventId,
    delivered: Verdict.$is("Delivered")(verdict),
    statusCode: verdict.statusCode,
    error: Verdict.$is("Dead")(verdict) ? verdict.error : null
  })
})

/** Creates, updates, lists, deletes and tests alert channels. */
import { Context, DateTime, Effect, Struct } from "effect"
import { randomBytes } from "node:crypto"
import {
  type Channel,
  type ChannelInput,
  ChannelSettings,
  type ChannelUpdate,
  type ChannelWithSecret,
  ShownSettings
} from "../../../schema/alert/Channel.ts"
import { ChannelId, type WorkspaceId } from "../../../schema/Ids.ts"
import { groupingProblems, groupsByDefault } from "../../domain/alert/AlertGroup.ts"
import { DeliveryVerdict } from "../../domain/alert/DeliveryVerdict.ts"
import { quietHoursOf } from "../../domain/alert/QuietHours.ts"
import { makeSecret, rotate } from "../../domain/alert/Signature.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { counted } from "../../domain/tools/text/Counted.ts"
import { EgressGuard, guardFor } from "../../egress/EgressGuard.ts"
import { attempt, type AttemptServices } from "../../notify/alert/Attempt.ts"
import { channelKinds, renderFor } from "../../notify/alert/channelKinds.ts"
import { Channels, type ChannelState } from "../../store/alert/Channels.ts"
import { Deliveries } from "../../store/alert/Deliveries.ts"
import { DeliveryResults } from "../../store/alert/DeliveryResults.ts"
import { mint } from "../../store/Mint.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { Workspaces } from "../../store/workspace/Workspaces.ts"
import { type AdmitDeletion, admitted } from "../AdmitDeletion.ts"
import { orNoSuch, removed } from "../NoSuch.ts"
import { requireClaimed } from "../workspace/RequireClaimed.ts"
import { followTelegramBot } from "./FollowBots.ts"

const freshSecret = Effect.sync(() => makeSecret(randomBytes(32)))

const settingsOf = (input: ChannelSettings): ChannelSettings => Struct.pick(input, ...Struct.keys(ChannelSettings.fields))

/** An empty list selects the default types. To receive nothing, disable the channel with `enabled`. */
const listOrNull = (events: ReadonlyArray<string> | null | undefined): ReadonlyArray<string> | null =>
  events === undefined || events === null || events.length === 0 ? null : events

/** The channel and its secrets after an update at `now`; `fresh` is the signing secret of a rotation. */
const changed = Effect.fn("ManageChannels.changed")(function*(
  { channel, secrets }: ChannelState,
  update: ChannelUpdate,
  fresh: string,
  now: DateTime.Utc
) {
  if (update.type !== undefined && update.type !== channel.type) {
    return yield* validationFailure([{ path: "type", message: "The type of a channel cannot be changed; create a new channel" }])
  }
  const kind = channelKinds[channel.type]
  const rotates = update.rotateSecret === true
  if (rotates && !kind.signs) {
    return yield* validationFailure([{ path: "rotateSecret", message: `${channel.type} channels have no signing secret` }])
  }
  const ofGrouping = groupingProblems(channel.type, update.groupAlerts)
  if (ofGrouping.length > 0) return yield* validationFailure(ofGrouping)
  const stored = { shown: channel, sealed: secrets.settings }
  const { sealed, shown } = yield* Effect.mapError(kind.settle(settingsOf(update), stored), validationFailure)
  // Whatever was wrong with the target, a new one or a new key may mend it.
  const target = (settings: object, secret: object) =>
    JSON.stringify([Object.entries(settings).sort(), Object.entries(secret).sort()])
  const before = Struct.pick(channel, ...Struct.keys(ShownSettings.fields))
  const isAsBefore = target(before, secrets.settings) === target(shown, sealed)
  return {
    channel: {
      ...Struct.omit(channel, ...Struct.keys(ShownSettings.fields), ...(isAsBefore ? [] : ["problem"] as const)),
      ...shown,
      name: update.name ?? channel.name,
      events: update.events === undefined ? channel.events : listOrNull(update.events),
      isDefault: update.isDefault ?? channel.isDefault,
      groupAlerts: update.groupAlerts ?? channel.groupAlerts,
      quietHours: update.quietHours === undefined ? channel.quietHours : quietHoursOf(update.quietHours),
      enabled: update.enabled ?? channel.enabled,
      updatedAt: now
    },
    secrets: {
      signing: rotates ? rotate(secrets.signing, fresh, DateTime.toEpochMillis(now)) : secrets.signing,
      settings: sealed
    }
  } satisfies ChannelState
})

/** The settings of a new channel as they are stored. Fails with what is wrong with them. */
const settled = (input: ChannelInput) => {
  const ofGrouping = groupingProblems(input.type, input.groupAlerts)
  return ofGrouping.length > 0
    ? Effect.fail(ofGrouping)
    : channelKinds[input.type].settle(settingsOf(input), { shown: {}, sealed: {} })
}

/** How long the result of a test waits for locks, ms. */
const resultPatienceMs = 10_000

export class ManageChannels extends Effect.Service<ManageChannels>()("belltower/ManageChannels", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const channels = yield* Channels
    const quotas = yield* Quotas
    const deliveries = yield* Deliveries
    const results = yield* DeliveryResults
    const clock = yield* DatabaseClock
    const claimed = requireClaimed(yield* Workspaces)
    const services = yield* Effect.context<AttemptServices>()

    /** A workspace may reach addresses that are closed to others. */
    const within = <A, E>(work: Effect.Effect<A, E, AttemptServices>, owner: WorkspaceId): Effect.Effect<A, E> =>
      Effect.provide(work, Context.add(services, EgressGuard, guardFor(Context.get(services, EgressGuard), { owner })))

    /** Returns the channel with its signing secret, which no later response contains. */
    const create = Effect.fn("ManageChannels.create")(function*(workspaceId: WorkspaceId, input: ChannelInput) {
      if (input.type === "email") yield* claimed(workspaceId, "Email channels")
      const kind = channelKinds[input.type]
      const { sealed, shown } = yield* Effect.mapError(settled(input), validationFailure)
      if (input.type === "telegram") yield* followTelegramBot(workspaceId, input, { ...shown, ...sealed }, false)
      const now = yield* DateTime.now
      const channel: Channel = {
        id: yield* mint("ch", ChannelId),
        name: input.name,
        type: input.type,
        ...shown,
        events: listOrNull(input.events),
        isDefault: input.isDefault ?? true,
        groupAlerts: input.groupAlerts ?? groupsByDefault(input.type),
        quietHours: quietHoursOf(input.quietHours),
        enabled: input.enabled ?? true,
        createdAt: now,
        updatedAt: now
      }
      const signingSecret = yield* freshSecret
      const signing = kind.signs ? [{ secret: signingSecret, until: null }] : []
      yield* transaction(Effect.all([
        quotas.takeCapped(workspaceId, { channels: 1 }),
        channels.insert(workspaceId, { channel, secrets: { signing, settings: sealed } }),
        Effect.when(channels.attachWhereNone(workspaceId, channel.id), () => input.attachExisting === true)
      ], { discard: true }))
      const created: ChannelWithSecret = kind.signs ? { ...channel, signingSecret } : channel
      return created
    }, within)

    const update = Effect.fn("ManageChannels.update")(
      function*(workspaceId: WorkspaceId, id: ChannelId, update: ChannelUpdate) {
        const now = yield* DateTime.now
        const fresh = yield* freshSecret
        const changing = channels.change(
          workspaceId,
          id,
          (current) =>
            Effect.tap(changed(current, update, fresh, now), ({ channel, secrets }) =>
              channel.type === "telegram"
                ? followTelegramBot(workspaceId, update, { ...channel, ...secrets.settings }, current.channel.buttons === true)
                : Effect.void)
        )
        const { channel, secrets } = yield* orNoSuch("alert channel", id, changing)
        const updated: ChannelWithSecret = secrets.signing[0]?.secret === fresh ? { ...channel, signingSecret: fresh } : channel
        return updated
      },
      within
    )

    /** The monitors that alert it are what is lost. */
    const remove = Effect.fn("ManageChannels.remove")(
      function*(workspaceId: WorkspaceId, id: ChannelId, admit: AdmitDeletion = admitted) {
        const monitors = yield* channels.monitorsOf(workspaceId, id)
        yield* admit(monitors, `The alerts of ${counted(monitors, "monitor")}`)
        yield* removed("alert channel", id, channels.remove(workspaceId, id))
      },
      transaction
    )

    /** Sends `test.ping` once and returns the result, also to a disabled channel: people test a channel before they enable it. */
    const test = Effect.fn("ManageChannels.test")(function*(workspaceId: WorkspaceId, id: ChannelId) {
      const recording = deliveries.recordTest(workspaceId, id, yield* clock.now, renderFor)
      const delivery = yield* orNoSuch("alert channel", id, recording)
      const { latencyMs, verdict: answered } = yield* attempt(delivery, clock.now)
      const outcome = DeliveryVerdict.$is("Again")(answered) ? DeliveryVerdict.Dead(answered) : answered
      yield* results.settle([{ delivery, outcome, latencyMs }], [], yield* clock.now, resultPatienceMs)
      return {
        eventId: delivery.eventId,
        delivered: DeliveryVerdict.$is("Delivered")(outcome),
        captured: DeliveryVerdict.$is("Captured")(outcome),
        statusCode: outcome.statusCode,
        error: DeliveryVerdict.$is("Delivered")(outcome) ? outcome.note ?? null : outcome.error
      }
    }, within)

    /** The settings that `create` would refuse; empty if none. */
    const problems = (workspaceId: WorkspaceId, input: ChannelInput): Effect.Effect<ReadonlyArray<Refusal>> =>
      within(Effect.match(settled(input), { onFailure: (found) => found, onSuccess: () => [] }), workspaceId)

    return { list: channels.list, problems, create, update, remove, test }
  })
}) {}

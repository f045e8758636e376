/** Adds, verifies, tests and deletes the contact ways of people. */
import { DateTime, Duration, Effect } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Conflict, Forbidden, ValidationFailed } from "../../../schema/Errors.ts"
import { ChannelId, EventId, type UserId, type WayId, type WorkspaceId } from "../../../schema/Ids.ts"
import {
  AddedWayKind,
  type ContactWay,
  type ContactWayInput,
  type ContactWays as Listed,
  type VerifyWayInput,
  type WayTest
} from "../../../schema/oncall/Way.ts"
import { judge } from "../../domain/alert/DeliveryVerdict.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { EgressGuard, guardFor } from "../../egress/EgressGuard.ts"
import { PushKeys } from "../../notify/way/PushKeys.ts"
import type { ContactWayKind, WayMessage } from "../../notify/way/WayKind.ts"
import { type kindStates, kindStatesIn, wayKinds } from "../../notify/way/wayKinds.ts"
import { problemOfWay } from "../../services/paging/PersonWays.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"
import { MailMode } from "../../store/mail/MailMode.ts"
import type { OnCallPersonRow } from "../../store/oncall/OnCallPeople.ts"
import { ContactWays, type WayRow } from "../../store/paging/ContactWays.ts"
import { orNoSuch, removed } from "../NoSuch.ts"
import { isSelf, makePersons } from "./MayChangePerson.ts"
import { makeWayProofs } from "./WayProofs.ts"

/** A person's ways in a workspace. */
const mostWays = 20

const attemptMs = 10_000

/** Codes and tests go to addresses that anybody could enter. */
const messagesPerHour: RateLimit = { name: "way-messages", limit: 60, window: Duration.hours(1) }

const refusedCode = (message: string, hint: string) =>
  new ValidationFailed({ message, hint, details: [{ path: "code", message }] })
const wrongCode = refusedCode("This is not the code that was sent", "Check it, or call without a code to have a new one sent")
const overCode = refusedCode(
  "The code has expired, or was entered wrongly too often",
  "Call without a code to have a new one sent"
)

const onlyThemselves = new Forbidden({
  message: "Only the person can prove this way, because its buttons act in their name",
  hint: "They ask for a code in the dashboard, under Contact"
})

type Kinds = Effect.Effect.Success<typeof kindStates>

const wayOf = (row: WayRow, kinds: Kinds): ContactWay => {
  const problem = problemOfWay(row, kinds)
  const { createdAt, id, kind, label, shown, userId, verifiedAt } = row
  return { id, userId, kind, label, shown, verifiedAt, usable: problem === null, problem, createdAt }
}

const noMail = "This server sends no email. Set SMTP_URL"

const emailOf = ({ confirmedAt, createdAt, email, id, mailTo }: OnCallPersonRow, isMailed: boolean): ContactWay => {
  const problem = mailTo === null ? "The email address is not confirmed" : isMailed ? null : noMail
  return {
    id: null,
    userId: id,
    kind: "email",
    label: "Email",
    shown: email,
    verifiedAt: confirmedAt,
    usable: problem === null,
    problem,
    createdAt
  }
}

export class ManageContactWays extends Effect.Service<ManageContactWays>()("belltower/ManageContactWays", {
  effect: Effect.gen(function*() {
    const ways = yield* ContactWays
    const limits = yield* RateLimits
    const mode = yield* MailMode
    const persons = yield* makePersons
    const proofs = yield* makeWayProofs
    const guard = yield* EgressGuard
    // The services that the kinds need, such as keys, are known from the start.
    const services = yield* Effect.context<never>()
    const states = (workspaceId: WorkspaceId, kinds: ReadonlyArray<AddedWayKind>) =>
      Effect.provide(kindStatesIn(workspaceId, kinds), services)
    const keys = yield* PushKeys

    const required = (workspaceId: WorkspaceId, userId: UserId, id: WayId) =>
      orNoSuch("contact way", id, ways.find(workspaceId, userId, id))

    const shown = (row: WayRow) => Effect.map(states(row.workspaceId, [row.kind]), (kinds) => wayOf(row, kinds))

    const missingOf = (workspaceId: WorkspaceId, kind: ContactWayKind) =>
      Effect.provide(
        Effect.flatMap(kind.missing, (missing) => missing === null ? kind.missingIn(workspaceId) : Effect.succeed(missing)),
        services
      )

    /** With the addresses that are open to a workspace, and what kinds need. */
    const within = <A, E>(workspaceId: WorkspaceId, work: Effect.Effect<A, E, EgressGuard>): Effect.Effect<A, E> =>
      work.pipe(Effect.provideService(EgressGuard, guardFor(guard, { owner: workspaceId })), Effect.provide(services))

    /** The kind of an input. Fails with `validation_failed` if this server cannot use it. */
    const usableKind = Effect.fnUntraced(function*(workspaceId: WorkspaceId, name: AddedWayKind) {
      const kind = wayKinds[name]
      const missing = kind === undefined ? `This server cannot page by ${name}` : yield* missingOf(workspaceId, kind)
      return kind === undefined || missing !== null
        ? yield* validationFailure([{ path: "kind", message: missing ?? "" }])
        : kind
    })

    /** One attempt to send a message by a way. */
    const sendBy = Effect.fnUntraced(function*(workspaceId: WorkspaceId, kind: ContactWayKind, id: WayId, message: WayMessage) {
      const address = yield* Effect.orDie(Effect.flatten(ways.addressOf(workspaceId, id)))
      const sent = within(
        workspaceId,
        kind.send({
          eventId: EventId.make(`${message._tag.toLowerCase()} ${id}`),
          workspaceId,
          channelId: ChannelId.make(id),
          body: kind.compose(message),
          signing: [],
          timeoutMs: attemptMs
        }, address)
      )
      const [duration, answer] = yield* Effect.timed(sent)
      const verdict = judge(answer, 1, yield* DateTime.now)
      const result: WayTest = {
        delivered: verdict._tag === "Delivered",
        error: verdict._tag === "Delivered" ? null : verdict.error,
        latencyMs: Math.round(Duration.toMillis(duration))
      }
      return result
    })

    /** Sends a new code. Fails with `rate_limited`, and with `validation_failed` if the service does not take it. */
    const sendCode = Effect.fn("ManageContactWays.sendCode")(
      function*(workspaceId: WorkspaceId, kind: ContactWayKind, id: WayId) {
        yield* limits.take(messagesPerHour, workspaceId)
        const code = yield* proofs.newCode(workspaceId, id)
        const { delivered, error } = yield* sendBy(workspaceId, kind, id, { _tag: "Code", code })
        if (!delivered) return yield* validationFailure([{ path: null, message: `The code could not be sent: ${error ?? ""}` }])
      }
    )

    /** Has the person prove a way: by a code, or by a link to an address that is not known yet. Fails like `sendCode`. */
    const askForProof = Effect.fn("ManageContactWays.askForProof")(
      function*(workspaceId: WorkspaceId, kind: ContactWayKind, row: WayRow) {
        const { startLink } = kind
        const address = yield* Effect.orDie(Effect.flatten(ways.addressOf(workspaceId, row.id)))
        if (startLink === null || Object.keys(address).length > 0) {
          yield* sendCode(workspaceId, kind, row.id)
          return yield* shown(row)
        }
        yield* limits.take(messagesPerHour, workspaceId)
        const payload = yield* proofs.newLink(workspaceId, row.id)
        const link = yield* within(workspaceId, startLink(workspaceId, payload)).pipe(
          Effect.mapError((message) => validationFailure([{ path: "chatId", message }]))
        )
        return { ...(yield* shown(row)), link }
      }
    )

    /** Email first. Fails with `forbidden`, and with `not_found` for somebody who is no member. */
    const list = Effect.fn("ManageContactWays.list")(function*(caller: Caller, userId: UserId) {
      const { workspaceId } = caller
      const person = yield* persons.reach(caller, userId)
      const rows = yield* ways.ofPeople(workspaceId, [userId])
      const kinds = yield* states(workspaceId, AddedWayKind.literals)
      const listed: Listed = {
        data: [emailOf(person, (yield* mode) === "sent"), ...rows.map((row) => wayOf(row, kinds))],
        next: null,
        kinds: [...kinds].flatMap(([kind, missing]) => missing === null ? [kind] : []),
        pushKey: keys?.publicKey ?? null
      }
      return listed
    })

    /** Adds a way and sends its code, unless it proves itself. The same address again is the way that exists. */
    const create = Effect.fn("ManageContactWays.create")(function*(caller: Caller, userId: UserId, input: ContactWayInput) {
      const { workspaceId } = caller
      const { email } = yield* persons.reach(caller, userId)
      const kind = yield* usableKind(workspaceId, input.kind)
      const { address, shown: shownAddress } = yield* Effect.mapError(
        within(workspaceId, Effect.flatMap(kind.find(input, email, workspaceId), kind.settle)),
        validationFailure
      )
      if ((yield* ways.ofPeople(workspaceId, [userId])).length >= mostWays) {
        return yield* validationFailure([{
          path: null,
          message: `A person can have at most ${mostWays} contact ways`,
          hint: "Delete one"
        }])
      }
      const now = yield* DateTime.now
      const isProved = kind.proof === "device" && isSelf(caller, userId)
      const id = yield* ways.put(workspaceId, {
        userId,
        kind: input.kind,
        label: input.label ?? kind.label,
        shown: shownAddress,
        address,
        verifiedAt: isProved ? now : null
      }, now)
      const row = yield* required(workspaceId, userId, id)
      const asks = row.verifiedAt === null && (!kind.isPersonal || isSelf(caller, userId))
      return asks ? yield* askForProof(workspaceId, kind, row) : yield* shown(row)
    })

    /** Proves a way by its code, or sends a new code. Fails with `validation_failed` for a code that is wrong or over. */
    const verify = Effect.fn("ManageContactWays.verify")(
      function*(caller: Caller, userId: UserId, id: WayId, { code }: VerifyWayInput) {
        const { workspaceId } = caller
        yield* persons.reach(caller, userId)
        const row = yield* required(workspaceId, userId, id)
        const kind = yield* usableKind(workspaceId, row.kind)
        if (kind.isPersonal && !isSelf(caller, userId)) return yield* onlyThemselves
        if (code === undefined) return yield* askForProof(workspaceId, kind, row)
        const verdict = yield* proofs.enter(workspaceId, id, code.replace(/\D/g, ""), (now) => ways.verify(workspaceId, id, now))
        if (verdict !== "right") return yield* verdict === "wrong" ? wrongCode : overCode
        return yield* shown(yield* required(workspaceId, userId, id))
      }
    )

    /** One attempt. Fails with `conflict` for a way that is not verified. */
    const test = Effect.fn("ManageContactWays.test")(function*(caller: Caller, userId: UserId, id: WayId) {
      const { workspaceId } = caller
      yield* persons.reach(caller, userId)
      const row = yield* required(workspaceId, userId, id)
      const kind = wayKinds[row.kind]
      if (kind === undefined || row.verifiedAt === null) {
        return yield* new Conflict({ message: "The way is not verified", hint: "Enter its code with verify_contact_way first" })
      }
      yield* limits.take(messagesPerHour, workspaceId)
      return yield* sendBy(workspaceId, kind, id, { _tag: "Test" })
    })

    const remove = Effect.fn("ManageContactWays.remove")(function*(caller: Caller, userId: UserId, id: WayId) {
      yield* persons.reach(caller, userId)
      yield* removed("contact way", id, ways.remove(caller.workspaceId, userId, id))
    })

    return { list, create, verify, test, remove }
  })
}) {}

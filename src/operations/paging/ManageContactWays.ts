/** Adds, verifies, tests and deletes the contact ways of people. */
import { DateTime, Duration, Effect, Option } from "effect"
import { randomInt } from "node:crypto"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Conflict, RateLimited, ValidationFailed } from "../../../schema/Errors.ts"
import { ChannelId, EventId, type UserId, type WayId, type WorkspaceId } from "../../../schema/Ids.ts"
import type {
  AddedWayKind,
  ContactWay,
  ContactWayInput,
  ContactWays as Listed,
  VerifyWayInput,
  WayTest
} from "../../../schema/oncall/Way.ts"
import { judge } from "../../domain/alert/DeliveryVerdict.ts"
import { afterSending, judgeCode } from "../../domain/paging/WayCodes.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { EgressGuard, guardFor } from "../../egress/EgressGuard.ts"
import { PushKeys } from "../../notify/way/PushKeys.ts"
import type { ContactWayKind, WayMessage } from "../../notify/way/WayKind.ts"
import { kindStates, wayKinds } from "../../notify/way/wayKinds.ts"
import { problemOfWay } from "../../services/paging/PersonWays.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"
import { KeyedHashes } from "../../store/KeyedHashes.ts"
import { MailMode } from "../../store/mail/MailMode.ts"
import type { OnCallPersonRow } from "../../store/oncall/OnCallPeople.ts"
import { ContactWays, type WayRow } from "../../store/paging/ContactWays.ts"
import { orNoSuch, removed } from "../NoSuch.ts"
import { makeTransaction } from "../Transaction.ts"
import { isSelf, makePersons } from "./MayChangePerson.ts"

/** A person's ways in a workspace. */
const mostWays = 20

const attemptMs = 10_000

/** Codes and tests go to addresses that anybody could enter. */
const messagesPerHour: RateLimit = { name: "way-messages", limit: 60, window: Duration.hours(1) }

const tooManyCodes = new RateLimited({
  message: "Five codes were sent to this way within the hour",
  hint: "Use the last one, or try again in an hour"
})

const refusedCode = (message: string, hint: string) =>
  new ValidationFailed({ message, hint, details: [{ path: "code", message }] })
const wrongCode = refusedCode("This is not the code that was sent", "Check it, or call without a code to have a new one sent")
const overCode = refusedCode(
  "The code has expired, or was entered wrongly too often",
  "Call without a code to have a new one sent"
)

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
    const hash = yield* KeyedHashes
    const limits = yield* RateLimits
    const mode = yield* MailMode
    const persons = yield* makePersons
    const transaction = yield* makeTransaction
    const guard = yield* EgressGuard
    // What the kinds need, such as keys, is known from the start.
    const services = yield* Effect.context<never>()
    const states = Effect.provide(kindStates, services)
    const keys = yield* PushKeys

    const required = (workspaceId: WorkspaceId, userId: UserId, id: WayId) =>
      orNoSuch("contact way", id, ways.find(workspaceId, userId, id))

    const shown = (row: WayRow) => Effect.map(states, (kinds) => wayOf(row, kinds))

    /** The kind of an input. Fails with `validation_failed` if this server cannot use it. */
    const usableKind = Effect.fnUntraced(function*(name: AddedWayKind) {
      const kind = wayKinds[name]
      const missing = kind === undefined ? `This server cannot page by ${name}` : yield* Effect.provide(kind.missing, services)
      return kind === undefined || missing !== null
        ? yield* validationFailure([{ path: "kind", message: missing ?? "" }])
        : kind
    })

    /** One attempt to send a message by a way. */
    const sendBy = Effect.fnUntraced(function*(workspaceId: WorkspaceId, kind: ContactWayKind, id: WayId, message: WayMessage) {
      const address = yield* Effect.orDie(Effect.flatten(ways.addressOf(workspaceId, id)))
      const sent = kind.send({
        eventId: EventId.make(`${message._tag.toLowerCase()} ${id}`),
        workspaceId,
        channelId: ChannelId.make(id),
        body: kind.compose(message),
        signing: [],
        timeoutMs: attemptMs
      }, address).pipe(Effect.provideService(EgressGuard, guardFor(guard, { owner: workspaceId })), Effect.provide(services))
      const [duration, answer] = yield* Effect.timed(sent)
      const verdict = judge(answer, 1, yield* DateTime.now)
      const result: WayTest = {
        delivered: verdict._tag === "Delivered",
        error: verdict._tag === "Delivered" ? null : verdict.error,
        latencyMs: Math.round(Duration.toMillis(duration))
      }
      return result
    })

    const codeHash = (id: WayId, code: string): Buffer => hash(`way code ${id} ${code.replace(/\D/g, "")}`)

    /** Sends a new code. Fails with `rate_limited`, and with `validation_failed` if the service does not take it. */
    const sendCode = Effect.fn("ManageContactWays.sendCode")(
      function*(workspaceId: WorkspaceId, kind: ContactWayKind, id: WayId) {
        yield* limits.take(messagesPerHour, workspaceId)
        const code = String(randomInt(1_000_000)).padStart(6, "0")
        const now = yield* DateTime.now
        yield* transaction(Effect.gen(function*() {
          const state = yield* orNoSuch("contact way", id, ways.codes.lock(workspaceId, id))
          const next = afterSending(state, codeHash(id, code), now)
          if (next === null) return yield* tooManyCodes
          yield* ways.codes.save(workspaceId, id, next)
        }))
        const { delivered, error } = yield* sendBy(workspaceId, kind, id, { _tag: "Code", code })
        if (!delivered) return yield* validationFailure([{ path: null, message: `The code could not be sent: ${error ?? ""}` }])
      }
    )

    /** Email first. Fails with `not_found` for somebody who is no member. */
    const list = Effect.fn("ManageContactWays.list")(function*(workspaceId: WorkspaceId, userId: UserId) {
      const person = yield* persons.find(workspaceId, userId)
      const kinds = yield* states
      const rows = yield* ways.ofPeople(workspaceId, [userId])
      const listed: Listed = {
        data: [emailOf(person, (yield* mode) === "sent"), ...rows.map((row) => wayOf(row, kinds))],
        next: null,
        pushKey: keys?.publicKey ?? null
      }
      return listed
    })

    /** Adds a way and sends its code, unless it proves itself. The same address again is the way that exists. */
    const create = Effect.fn("ManageContactWays.create")(function*(caller: Caller, userId: UserId, input: ContactWayInput) {
      const { workspaceId } = caller
      yield* persons.change(caller, userId)
      const kind = yield* usableKind(input.kind)
      const { address, shown: shownAddress } = yield* Effect.mapError(
        Effect.provideService(kind.settle(input), EgressGuard, guardFor(guard, { owner: workspaceId })),
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
      if (row.verifiedAt === null) yield* sendCode(workspaceId, kind, id)
      return yield* shown(row)
    })

    /** Proves a way by its code, or sends a new code. Fails with `validation_failed` for a code that is wrong or over. */
    const verify = Effect.fn("ManageContactWays.verify")(
      function*(caller: Caller, userId: UserId, id: WayId, { code }: VerifyWayInput) {
        const { workspaceId } = caller
        yield* persons.change(caller, userId)
        const { kind: name } = yield* required(workspaceId, userId, id)
        if (code === undefined) yield* sendCode(workspaceId, yield* usableKind(name), id)
        else {
          const now = yield* DateTime.now
          const verdict = yield* transaction(Effect.gen(function*() {
            const state = yield* orNoSuch("contact way", id, ways.codes.lock(workspaceId, id))
            const judged = judgeCode(state, codeHash(id, code), now)
            yield* judged === "right"
              ? ways.verify(workspaceId, id, now)
              : ways.codes.save(workspaceId, id, { ...state, tries: state.tries + 1 })
            return judged
          }))
          if (verdict !== "right") return yield* verdict === "wrong" ? wrongCode : overCode
        }
        return yield* shown(yield* required(workspaceId, userId, id))
      }
    )

    /** One attempt. Fails with `conflict` for a way that is not verified. */
    const test = Effect.fn("ManageContactWays.test")(function*(caller: Caller, userId: UserId, id: WayId) {
      const { workspaceId } = caller
      yield* persons.change(caller, userId)
      const row = yield* required(workspaceId, userId, id)
      const kind = wayKinds[row.kind]
      if (kind === undefined || row.verifiedAt === null) {
        return yield* new Conflict({ message: "The way is not verified", hint: "Enter its code with verify_contact_way first" })
      }
      yield* limits.take(messagesPerHour, workspaceId)
      return yield* sendBy(workspaceId, kind, id, { _tag: "Test" })
    })

    const remove = Effect.fn("ManageContactWays.remove")(function*(caller: Caller, userId: UserId, id: WayId) {
      yield* persons.change(caller, userId)
      yield* removed("contact way", id, ways.remove(caller.workspaceId, userId, id))
    })

    return { list, create, verify, test, remove }
  })
}) {}

/** Members who are paged by phone, through a local Twilio. */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import * as Runner from "../../../cluster/Runner.ts"
import type { Caller } from "../../../schema/access/Caller.ts"
import { SessionId, UserId, WayId, type WorkspaceId } from "../../../schema/Ids.ts"
import { EmailAddress } from "../../../schema/people/Person.ts"
import type { Role } from "../../../schema/workspace/Workspace.ts"
import type { PhoneLimits } from "../../../src/notify/way/phone/PhoneBudget.ts"
import { Phones } from "../../../src/notify/way/Phones.ts"
import { AcknowledgeIncident } from "../../../src/operations/incident/AcknowledgeIncident.ts"
import { OpenIncident } from "../../../src/operations/incident/OpenIncident.ts"
import { ManagePolicies } from "../../../src/operations/oncall/ManagePolicies.ts"
import { ManageContactWays } from "../../../src/operations/paging/ManageContactWays.ts"
import { ManagePagingRules } from "../../../src/operations/paging/ManagePagingRules.ts"
import { ReadPagings } from "../../../src/operations/paging/ReadPagings.ts"
import { TakePhoneNews } from "../../../src/operations/paging/TakePhoneNews.ts"
import { Users } from "../../../src/store/people/Users.ts"
import { Ground } from "../program/TestRunner.ts"
import { type LocalTwilio, localTwilio, spokenIn, twilioAccount } from "./LocalTwilio.ts"

export class Twilio extends Context.Tag("test/Twilio")<Twilio, LocalTwilio>() {}

const twilio = Layer.scoped(Twilio, localTwilio)

const operations = Layer.mergeAll(
  OpenIncident.Default,
  ManagePolicies.Default,
  ManageContactWays.Default,
  ManagePagingRules.Default,
  ReadPagings.Default,
  Layer.provideMerge(TakePhoneNews.Default, AcknowledgeIncident.Default)
)

interface PhoneOptions {
  readonly limits?: Partial<PhoneLimits>
  /** The phone webhook beside Twilio. */
  readonly webhook?: { readonly url: string; readonly secret: string }
}

const phonesOf = ({ limits = {}, webhook }: PhoneOptions) =>
  Layer.unwrapEffect(Effect.map(Twilio, ({ url }) =>
    Phones.layer({
      twilio: Option.some({
        accountSid: twilioAccount.sid,
        authToken: Redacted.make(twilioAccount.token),
        from: "+15005550006",
        caller: null,
        url
      }),
      webhook: Option.map(Option.fromNullable(webhook), ({ secret, url }) => ({ url, secret: Redacted.make(secret) })),
      limits: { personAnHour: 1_000, workspaceADay: 1_000, allADay: 10_000, ...limits },
      prefixes: []
    })))

/** A runner and the operations of paging, which texts and calls through a local Twilio. */
export const phoneRunner = (options: PhoneOptions = {}) =>
  Layer.merge(operations, Runner.layer).pipe(
    Layer.provideMerge(phonesOf(options)),
    Layer.provideMerge(twilio),
    Layer.provideMerge(Ground)
  )

let people = 0

/** A member of the role; their address is confirmed if mail is a way to page them. */
export const newMember = (workspaceId: WorkspaceId, { isConfirmed = false, role = "member" as Role } = {}) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const users = yield* Users
    const email = Schema.decodeSync(EmailAddress)(`called-${++people}@example.com`)
    const id = UserId.make((yield* users.ensure(email, isConfirmed, null)).id)
    yield* sql`
      insert into memberships (workspace_id, user_id, role, created_at) values (${workspaceId}, ${id}, ${role}, now())`
    const caller: Caller = {
      workspaceId,
      principal: { _tag: "User", userId: id, sessionId: SessionId.make("ses_test") },
      scopes: ["read", "write"],
      role,
      operations: null
    }
    return { id, email, caller }
  })
export type PhonePerson = Effect.Effect.Success<ReturnType<typeof newMember>>

let numbers = 0

/** A number that no other test has. */
export const newNumber = (): string => `+4930${String(1_000_000 + ++numbers)}`

/** The code in what went to a number last. */
export const lastCode = (number: string) =>
  Effect.map(Twilio, ({ ordersTo }) => {
    const last = ordersTo(number).at(-1)
    const text = last === undefined ? "" : last.by === "sms" ? last.content : spokenIn(last.content)[0] ?? ""
    return text.replaceAll(", ", "").match(/\d{6}/)?.[0] ?? ""
  })

/** A way of the person, proved by the code that was sent there. */
export const addPhone = ({ caller, id }: PhonePerson, kind: "sms" | "voice", phone: string) =>
  Effect.gen(function*() {
    const { create, verify } = yield* ManageContactWays
    const added = yield* create(caller, id, { kind, phone, label: kind })
    const wayId = WayId.make(added.id ?? "")
    yield* verify(caller, id, wayId, { code: yield* lastCode(phone) })
    return wayId
  })

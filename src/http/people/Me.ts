/** Serves the operations of signed-in people on their own account. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { Person } from "../../../schema/api/PersonAccess.ts"
import { PersonDigests } from "../../operations/digest/PersonDigests.ts"
import { ReadMail } from "../../operations/mail/ReadMail.ts"
import { PersonContact } from "../../operations/people/PersonContact.ts"
import { PersonSecurity } from "../../operations/people/PersonSecurity.ts"
import { PersonSessions } from "../../operations/people/PersonSessions.ts"
import { PersonWorkspaces } from "../../operations/people/PersonWorkspaces.ts"
import { SecondFactor } from "../../operations/people/SecondFactor.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const whole = <A>(data: ReadonlyArray<A>) => ({ data, next: null })
const codes = (recoveryCodes: ReadonlyArray<string>) => ({ recoveryCodes })

export const MeLive = operationGroup(Api, "Me", (handlers) =>
  Effect.gen(function*() {
    const workspaces = yield* PersonWorkspaces
    const contact = yield* PersonContact
    const security = yield* PersonSecurity
    const sessions = yield* PersonSessions
    const factor = yield* SecondFactor
    const digests = yield* PersonDigests
    const mails = yield* ReadMail

    const me = Effect.gen(function*() {
      const person = yield* Person
      const workspace = (yield* workspaces.list(person)).find(({ current }) => current) ?? null
      return { user: person.user, emailConfirmed: yield* mails.isProved(person), workspace }
    })

    return handlers
      .handle("me", () => me)
      .handle("my_workspaces", () => Effect.map(Effect.flatMap(Person, workspaces.list), whole))
      .handle("create_my_workspace", ({ payload }) => Effect.flatMap(Person, (person) => workspaces.create(person, payload.name)))
      .handle("switch_workspace", ({ path }) => Effect.flatMap(Person, (person) => workspaces.switchTo(person, path.id)))
      .handle("my_contact", () => Effect.flatMap(Person, contact.get))
      .handle("update_my_contact", ({ payload }) => Effect.flatMap(Person, (person) => contact.update(person, payload)))
      .handle("my_security", () => Effect.flatMap(Person, security.get))
      .handle("end_my_session", ({ path: { id } }) =>
        Effect.as(
          Effect.flatMap(Person, (person) => sessions.end(person, id)),
          { id, deleted: true as const }
        ))
      .handle("end_my_other_sessions", () => Effect.map(Effect.flatMap(Person, sessions.endOthers), (revoked) => ({ revoked })))
      .handle("pending_second_factor", () => Effect.flatMap(Person, factor.pending))
      .handle("set_up_second_factor", () => Effect.flatMap(Person, factor.setUp))
      .handle("enable_second_factor", ({ payload }) =>
        Effect.map(Effect.flatMap(Person, (person) => factor.enable(person, payload.code)), codes))
      .handle("disable_second_factor", ({ payload }) =>
        Effect.as(
          Effect.flatMap(Person, (person) =>
            factor.disable(person, payload.code)),
          { enabled: false as const }
        ))
      .handle("replace_recovery_codes", ({ payload }) =>
        Effect.map(
          Effect.flatMap(Person, (person) => factor.replaceRecoveryCodes(person, payload.code)),
          codes
        ))
      .handle("disconnect_identity", ({ path: { provider } }) =>
        Effect.as(
          Effect.flatMap(Person, (person) => security.disconnect(person, provider)),
          {
            provider,
            deleted: true as const
          }
        ))
      .handle("my_digests", () => Effect.map(Effect.flatMap(Person, digests.list), whole))
      .handle("update_my_digest", ({ path: { id }, payload: { subscribed } }) =>
        Effect.as(
          Effect.flatMap(Person, (person) => digests.subscribe(person, id, subscribed)),
          { id, subscribed }
        ))
      .handle("my_mails", () => Effect.map(Effect.flatMap(Person, mails.list), whole))
      .handle("my_mail", ({ path }) => Effect.flatMap(Person, (person) => mails.get(person, path.id)))
  }))

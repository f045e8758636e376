/** Serves the operations of signed-in people on their own account. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ReadMail } from "../../operations/mail/ReadMail.ts"
import { PersonAccount } from "../../operations/people/PersonAccount.ts"
import { PersonSessions } from "../../operations/people/PersonSessions.ts"
import { PersonWorkspaces } from "../../operations/people/PersonWorkspaces.ts"
import { SecondFactor } from "../../operations/people/SecondFactor.ts"
import { RestoreWorkspace } from "../../operations/workspace/RestoreWorkspace.ts"
import { makeApplicantOf } from "../request/Applicant.ts"
import { all, asPerson, deleted } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

const codes = (recoveryCodes: ReadonlyArray<string>) => ({ recoveryCodes })

export const MeLive = operationGroup(Api, "Me", (handlers) =>
  Effect.gen(function*() {
    const workspaces = yield* PersonWorkspaces
    const restoring = yield* RestoreWorkspace
    const account = yield* PersonAccount
    const sessions = yield* PersonSessions
    const factor = yield* SecondFactor
    const mails = yield* ReadMail
    const applicantOf = yield* makeApplicantOf

    const me = asPerson((person) =>
      Effect.gen(function*() {
        const workspace = (yield* workspaces.list(person)).find(({ current }) => current) ?? null
        return { user: person.user, emailConfirmed: yield* mails.isProved(person), workspace }
      })
    )

    return handlers
      .handle("me", () => me)
      .handle("my_workspaces", () => all(asPerson(workspaces.list)))
      .handle(
        "create_my_workspace",
        ({ payload, request }) => asPerson((person) => workspaces.create(person, payload, applicantOf(request)))
      )
      .handle("switch_workspace", ({ path }) => asPerson((person) => workspaces.switchTo(person, path.id)))
      .handle("my_deleted_workspaces", () => all(asPerson(restoring.list)))
      .handle("restore_my_workspace", ({ path }) => asPerson((person) => restoring.restoreOwn(person, path.id)))
      .handle("my_contact", () => asPerson(account.contact))
      .handle("update_my_contact", ({ payload }) => asPerson((person) => account.updateContact(person, payload)))
      .handle("my_security", () => asPerson(account.security))
      .handle("end_my_session", ({ path: { id } }) => deleted(id, asPerson((person) => sessions.end(person, id))))
      .handle("end_my_other_sessions", () => Effect.map(asPerson(sessions.endOthers), (revoked) => ({ revoked })))
      .handle("pending_second_factor", () => asPerson(factor.pending))
      .handle("set_up_second_factor", () => asPerson(factor.setUp))
      .handle(
        "enable_second_factor",
        ({ payload }) => Effect.map(asPerson((person) => factor.enable(person, payload.code)), codes)
      )
      .handle(
        "disable_second_factor",
        ({ payload }) => Effect.as(asPerson((person) => factor.disable(person, payload.code)), { enabled: false as const })
      )
      .handle(
        "replace_recovery_codes",
        ({ payload }) => Effect.map(asPerson((person) => factor.replaceRecoveryCodes(person, payload.code)), codes)
      )
      .handle(
        "disconnect_identity",
        ({ path: { provider } }) =>
          Effect.as(asPerson((person) => account.disconnect(person, provider)), { provider, deleted: true as const })
      )
      .handle("my_digests", () => all(asPerson(account.digests)))
      .handle(
        "update_my_digest",
        ({ path: { id }, payload: { subscribed } }) =>
          Effect.as(asPerson((person) => account.subscribe(person, id, subscribed)), { id, subscribed })
      )
      .handle("my_mails", () => all(asPerson(mails.list)))
      .handle("my_mail", ({ path }) => asPerson((person) => mails.get(person, path.id)))
  }))

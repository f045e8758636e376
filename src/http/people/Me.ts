/** Serves what signed-in people do about themselves, and the way in and out. */
import { HttpApiBuilder, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Option } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { Person } from "../../../schema/api/PersonAccess.ts"
import { NotFound } from "../../../schema/Errors.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { Mails } from "../../store/mail/Mails.ts"
import { foreign } from "../guard/CurrentPerson.ts"
import { isSameOrigin, withoutSession } from "../guard/SessionCookie.ts"
import { contact, updateContact } from "./Contact.ts"
import { createWorkspace, myWorkspaces, switchWorkspace } from "./PersonWorkspaces.ts"
import {
  disableSecondFactor,
  disconnectIdentity,
  enableSecondFactor,
  endOtherSessions,
  endSession,
  replaceRecoveryCodes,
  security,
  setUpSecondFactor
} from "./Security.ts"
import { requestSignIn, signOut } from "./SignIn.ts"

const signOutHere = Effect.gen(function*() {
  const baseUrl = yield* BaseUrl
  if (!isSameOrigin(yield* HttpServerRequest.HttpServerRequest, baseUrl)) return yield* foreign
  yield* signOut()
  return withoutSession(baseUrl)(HttpServerResponse.unsafeJson({ signedOut: true }))
})

export const SignInLive = HttpApiBuilder.group(Api, "Sign-in", (handlers) =>
  handlers
    .handle("request_sign_in", ({ payload }) =>
      Effect.as(requestSignIn({ email: payload.email, next: payload.next ?? null }), { sent: true as const }))
    .handleRaw("sign_out", () =>
      signOutHere))

const me = Effect.gen(function*() {
  const { user } = yield* Person
  const workspace = (yield* myWorkspaces()).find(({ current }) => current) ?? null
  return { user, workspace }
})

const noMail = new NotFound({ message: "There is no such mail for you", hint: "GET /api/v1/me/mails lists them" })

export const MeLive = HttpApiBuilder.group(Api, "Me", (handlers) =>
  Effect.map(Mails, (mails) =>
    handlers
      .handle("me", () => me)
      .handle("my_workspaces", () => Effect.map(myWorkspaces(), (data) => ({ data, next: null })))
      .handle("create_my_workspace", ({ payload }) => createWorkspace(payload.name))
      .handle("switch_workspace", ({ path }) => switchWorkspace(path.id))
      .handle("my_contact", () => contact())
      .handle("update_my_contact", ({ payload }) => updateContact(payload))
      .handle("my_security", () => security())
      .handle("end_my_session", ({ path }) => Effect.as(endSession(path.id), { id: path.id, deleted: true as const }))
      .handle("end_my_other_sessions", () => Effect.map(endOtherSessions(), (revoked) => ({ revoked })))
      .handle("set_up_second_factor", () => setUpSecondFactor())
      .handle(
        "enable_second_factor",
        ({ payload }) => Effect.map(enableSecondFactor(payload.code), (recoveryCodes) => ({ recoveryCodes }))
      )
      .handle("disable_second_factor", ({ payload }) => Effect.as(disableSecondFactor(payload.code), { enabled: false as const }))
      .handle(
        "replace_recovery_codes",
        ({ payload }) => Effect.map(replaceRecoveryCodes(payload.code), (recoveryCodes) => ({ recoveryCodes }))
      )
      .handle(
        "disconnect_identity",
        ({ path }) => Effect.as(disconnectIdentity(path.provider), { provider: path.provider, deleted: true as const })
      )
      .handle(
        "my_mails",
        () => Effect.flatMap(Person, ({ userId }) => mails.captured(userId)).pipe(Effect.map((data) => ({ data, next: null })))
      )
      .handle("my_mail", ({ path }) =>
        Effect.flatMap(Person, ({ userId }) => mails.read(userId, path.id)).pipe(
          Effect.flatMap(Option.match({ onNone: () => Effect.fail(noMail), onSome: Effect.succeed }))
        ))))

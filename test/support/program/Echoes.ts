/** Stand-ins for the groups that a test is not about: their operations return their input. */
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Layer } from "effect"
import type { Access, ReadAccess, WriteAccess } from "../../../schema/api/Access.ts"
import { Api } from "../../../schema/api/Api.ts"
import { makeApplicantOf } from "../../../src/http/request/Applicant.ts"
import { asCaller } from "../../../src/http/server/InWorkspace.ts"
import { operationGroup } from "../../../src/http/server/OperationGroup.ts"
import { IdentifyCaller } from "../../../src/operations/access/IdentifyCaller.ts"
import { Bootstrap } from "../../../src/operations/workspace/Bootstrap.ts"
import type { Json } from "./TestServer.ts"

/** An operation as seen by reflection: its name is a text, its input and output are untyped. */
type AnyOperation = HttpApiEndpoint.HttpApiEndpoint<
  string,
  "POST",
  never,
  never,
  Json,
  never,
  unknown,
  unknown,
  ReadAccess | WriteAccess
>

const withoutNames = (api: unknown) => api as HttpApi.HttpApi<"belltower", HttpApiGroup.HttpApiGroup<string, AnyOperation, never>>

const withBootstrap = ({ payload, request }: Json) =>
  Effect.flatMap(
    Effect.all([Bootstrap, makeApplicantOf]),
    ([workspaces, applicantOf]) => workspaces.create(payload, applicantOf(request))
  )

const withIdentity = () => Effect.flatMap(IdentifyCaller, (callers) => asCaller(callers.identify))

type Needs = Effect.Effect.Context<ReturnType<typeof withBootstrap> | ReturnType<typeof withIdentity>>
/** The parts of a request. */
type OfRequest = Access | HttpServerRequest.HttpServerRequest
type Handler = (request: Json) => Effect.Effect<unknown, unknown, Needs>

const echo: Handler = (given: object) => Effect.succeed(HttpServerResponse.unsafeJson({ seen: { ...given, request: undefined } }))

const broken: Handler = () => Effect.die(new Error("select secret from vault"))

/** Operations that do not echo: bootstrap and whoami work, and one operation always fails. */
const handlers: Readonly<Record<string, Handler>> = {
  bootstrap_workspace: withBootstrap,
  whoami: withIdentity,
  get_check: broken
}

/** One operation at a time: the type of a whole group would have to name them all. */
const standIn = (group: string, operation: string) =>
  operationGroup(
    withoutNames(Api),
    group,
    (all) =>
      Effect.map(
        Effect.context<Exclude<Needs, OfRequest>>(),
        (services) => all.handle(operation, (request) => Effect.provide((handlers[operation] ?? echo)(request), services))
      )
  )

/** Every group of the registry except `real`, which have their own handlers. */
export const echoesExcept = (real: ReadonlyArray<string>) => {
  const layers: Array<ReturnType<typeof standIn>> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      if (!real.includes(group.identifier)) layers.push(standIn(group.identifier, endpoint.name))
    }
  })
  // One after another: merged layers are built concurrently, in an order that is not the registry's.
  return layers.reduce((before, one) => Layer.provideMerge(one, before))
}

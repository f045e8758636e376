/** The context of every request's fiber: its id and origin, and its work owner until the caller is known. */
import type { HttpServerRequest } from "@effect/platform"
import { Context, Option } from "effect"
import { clientNetwork } from "../../domain/access/ClientNetwork.ts"
import { WorkOwner } from "../../loops/WorkLane.ts"
import { CallOrigin } from "../../operations/access/CallOrigin.ts"
import { RequestId } from "./RequestId.ts"

/** Built as one context, so a request pays for only one provide. */
export const requestContext = (requestId: string, { remoteAddress }: HttpServerRequest.HttpServerRequest) =>
  Context.make(RequestId, requestId).pipe(
    Context.add(CallOrigin, { surface: "api", ip: Option.getOrNull(remoteAddress) }),
    Context.add(WorkOwner, Option.getOrNull(Option.map(remoteAddress, clientNetwork)))
  )

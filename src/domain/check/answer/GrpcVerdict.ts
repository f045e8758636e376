/** Judges the response to a gRPC health check. */
import { codeName, servingName } from "./GrpcMessages.ts"
import type { Problem } from "./Verdict.ts"

export interface GrpcFacts {
  readonly httpStatus: number | null
  readonly grpcStatus: number | null
  readonly grpcMessage: string
  readonly serving: number | null
}

/** gRPC percent-encodes its messages (gRPC over HTTP/2, Status-Message). */
const readable = (message: string): string =>
  message.slice(0, 500).replace(
    /(?:%[0-9a-f]{2})+/gi,
    (encoded) => Buffer.from(encoded.replace(/%/g, ""), "hex").toString("utf8")
  )

const down = (cause: Problem["cause"], error: string): Problem => ({ severity: "down", cause, error })

/** Null if the service says that it serves. */
export const servingProblem = (service: string, { grpcMessage, grpcStatus, httpStatus, serving }: GrpcFacts): Problem | null => {
  const what = service === "" ? "the server" : `the service ${service}`
  if (httpStatus !== 200) return down("status", `Expected status 200 of a gRPC call, got ${httpStatus ?? "none"}`)
  if (grpcStatus === null) return down("grpc_error", "The answer has no gRPC status; the port may serve something else")
  if (grpcStatus === 12) return down("grpc_error", "The server has no health check (grpc.health.v1 is UNIMPLEMENTED)")
  if (grpcStatus === 5) return down("grpc_error", `The health check does not know ${what} (NOT_FOUND)`)
  if (grpcStatus !== 0) {
    const message = readable(grpcMessage)
    return down("grpc_error", `The health check failed: ${codeName(grpcStatus)}${message === "" ? "" : `: ${message}`}`)
  }
  if (serving === null) return down("grpc_error", "The answer of the health check is not valid")
  return serving === 1 ? null : down("not_serving", `The health check says that ${what} is ${servingName(serving)}`)
}

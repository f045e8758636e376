/** A gRPC server with the standard health service, made with the reference implementation. */
import { Server, ServerCredentials } from "@grpc/grpc-js"
import type { sendUnaryData, ServerUnaryCall, status } from "@grpc/grpc-js"
import { Effect } from "effect"
import type { Credentials } from "./LocalTargets.ts"

/** The health service's answer about a service: a code of `ServingStatus`, or a status of the call. `null`: never answers. */
export type Health = { readonly serving: number } | { readonly code: status; readonly details: string } | null

interface Asked {
  readonly service: string
  readonly token: string | undefined
}

interface Question {
  readonly service: string
}

/** `HealthCheckRequest` has one field, a text. */
const questionIn = (bytes: Buffer): Question => ({ service: bytes.subarray(2).toString("utf8") })

/** `HealthCheckResponse` has one field, an enum, which proto3 omits if it is 0. */
const answerWith = (serving: number): Buffer => Buffer.from(serving === 0 ? [] : [8, serving])

const method = {
  path: "/grpc.health.v1.Health/Check",
  requestStream: false,
  responseStream: false,
  requestSerialize: ({ service }: Question) => Buffer.from(service),
  requestDeserialize: questionIn,
  responseSerialize: answerWith,
  responseDeserialize: (bytes: Buffer) => bytes[1] ?? 0
} as const

/** Starts the server on loopback, encrypted with these credentials; returns its port and what it was asked. */
export const grpcServer = (healthOf: (service: string) => Health, credentials: Credentials | null = null) =>
  Effect.acquireRelease(
    Effect.async<{ readonly server: Server; readonly port: number; readonly asked: ReadonlyArray<Asked> }>((resume) => {
      const asked: Array<Asked> = []
      const server = new Server()
      server.addService({ Check: method }, {
        Check: (call: ServerUnaryCall<Question, number>, done: sendUnaryData<number>) => {
          asked.push({ service: call.request.service, token: call.metadata.get("authorization")[0]?.toString() })
          const health = healthOf(call.request.service)
          if (health === null) return
          if ("serving" in health) done(null, health.serving)
          else done({ code: health.code, details: health.details })
        }
      })
      const secure = credentials === null
        ? ServerCredentials.createInsecure()
        : ServerCredentials.createSsl(null, [{
          private_key: Buffer.from(credentials.key),
          cert_chain: Buffer.from(credentials.cert)
        }])
      server.bindAsync("127.0.0.1:0", secure, (error, port) => {
        resume(error === null ? Effect.succeed({ server, port, asked }) : Effect.die(error))
      })
    }),
    ({ server }) => Effect.sync(() => server.forceShutdown())
  )

/** Serves the operations that agents start with: bootstrap, create a service, heartbeats, pushes and whoami. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { IdentifyCaller } from "../../operations/access/IdentifyCaller.ts"
import { TakePush } from "../../operations/component/TakePush.ts"
import { CreateService } from "../../operations/monitor/CreateService.ts"
import { TakePings } from "../../operations/monitor/TakePings.ts"
import { Bootstrap } from "../../operations/workspace/Bootstrap.ts"
import { makeApplicantOf } from "../request/Applicant.ts"
import { asCaller, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const AgentsLive = operationGroup(Api, "Agents", (handlers) =>
  Effect.gen(function*() {
    const workspaces = yield* Bootstrap
    const callers = yield* IdentifyCaller
    const services = yield* CreateService
    const pings = yield* TakePings
    const pushing = yield* TakePush
    const applicantOf = yield* makeApplicantOf
    return handlers
      .handle("bootstrap_workspace", ({ payload, request }) => workspaces.create(payload, applicantOf(request)))
      .handle("create_service", ({ payload }) => inWorkspace((id) => services.create(id, payload)))
      .handle("send_heartbeat", ({ path, payload }) => pings.take(path.token, payload))
      .handle("push_component_status", ({ path, payload }) => pushing.take(path.token, payload))
      .handle("whoami", () => asCaller(callers.identify))
  }))

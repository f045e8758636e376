/** Serves the operations on the mail server. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ManageMailServer } from "../../operations/mail/ManageMailServer.ts"
import { asCaller } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const MailServerLive = operationGroup(
  Api,
  "Mail server",
  (handlers) => Effect.map(ManageMailServer, (server) => handlers.handle("get_mail_server", () => asCaller(server.get)))
)

export const MailServerSetupLive = operationGroup(
  Api,
  "Mail server setup",
  (handlers) =>
    Effect.map(ManageMailServer, (server) =>
      handlers
        .handle("set_mail_server", ({ payload }) => asCaller((caller) => server.set(caller, payload)))
        .handle("remove_mail_server", () => asCaller(server.remove))
        .handle("test_mail_server", ({ payload }) => asCaller((caller) => server.test(caller, payload))))
)

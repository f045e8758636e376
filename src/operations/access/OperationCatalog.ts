/** The operations that keys can call; the deployment provides it from the registry. */
import { Context } from "effect"
import type { CallableOperation } from "../../domain/access/CallPermission.ts"

export class OperationCatalog
  extends Context.Tag("belltower/OperationCatalog")<OperationCatalog, ReadonlyArray<CallableOperation>>()
{}

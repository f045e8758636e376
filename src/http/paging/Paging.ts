/** Serves the contact ways of people, their rules, and the log of pages. */
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { ManageContactWays } from "../../operations/paging/ManageContactWays.ts"
import { ManagePagingRules } from "../../operations/paging/ManagePagingRules.ts"
import { ReadPagings } from "../../operations/paging/ReadPagings.ts"
import { asCaller, deleted, inWorkspace } from "../server/InWorkspace.ts"
import { operationGroup } from "../server/OperationGroup.ts"

export const PagingLive = operationGroup(Api, "Paging", (handlers) =>
  Effect.gen(function*() {
    const ways = yield* ManageContactWays
    const rules = yield* ManagePagingRules
    const pagings = yield* ReadPagings
    return handlers
      .handle("list_contact_ways", ({ path }) => asCaller((caller) => ways.list(caller, path.userId)))
      .handle("create_contact_way", ({ path, payload }) => asCaller((caller) => ways.create(caller, path.userId, payload)))
      .handle(
        "verify_contact_way",
        ({ path, payload }) => asCaller((caller) => ways.verify(caller, path.userId, path.id, payload))
      )
      .handle("test_contact_way", ({ path }) => asCaller((caller) => ways.test(caller, path.userId, path.id)))
      .handle(
        "delete_contact_way",
        ({ path }) => deleted(path.id, asCaller((caller) => ways.remove(caller, path.userId, path.id)))
      )
      .handle("get_paging_rules", ({ path }) => asCaller((caller) => rules.get(caller, path.userId)))
      .handle("update_paging_rules", ({ path, payload }) => asCaller((caller) => rules.update(caller, path.userId, payload)))
      .handle("list_incident_pagings", ({ path }) => inWorkspace((id) => pagings.get(id, path.id)))
  }))

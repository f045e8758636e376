/** Sends the weekly digests once per deployment. */
import { singletonEvery } from "../SingletonEvery.ts"
import { makeSendDigests } from "./SendDigests.ts"

export const DigestUpkeep = singletonEvery("DigestUpkeep", "1 minute", makeSendDigests)

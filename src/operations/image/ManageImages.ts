/** Takes, lists and deletes the images of a workspace. */
import { DateTime, Effect } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { Unavailable } from "../../../schema/Errors.ts"
import { ImageId, type WorkspaceId } from "../../../schema/Ids.ts"
import { type Image, type ImageInput, largestImage } from "../../../schema/image/Image.ts"
import { imageName } from "../../domain/image/ImageName.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { listPage } from "../../domain/tools/ListPage.ts"
import { makeFairQueue } from "../../domain/tools/queues/FairQueue.ts"
import { Links } from "../../links/Links.ts"
import { makeFairSlots } from "../../loops/FairSlots.ts"
import { type ImageFilter, type ImageRow, Images } from "../../store/image/Images.ts"
import { mint } from "../../store/Mint.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { makeCallerName } from "../incident/CallerName.ts"
import { removed } from "../NoSuch.ts"
import { cleanImage } from "./CleanImage.ts"

const refused = (message: string) => validationFailure([{ path: "data", message }])

/** Images that are checked at a time: each may have 16 MB of pixels, twice. */
const checking = { slots: 2, mostPerOwner: 1, room: { total: 60, perOwner: 10, weigh: () => 1 } }

const unavailable = new Unavailable({
  message: "Too many images are being checked",
  hint: "Try again in a few seconds"
})

const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/** The file; null for a text that is no base64. */
const fileOf = (data: string): Buffer | null =>
  data !== "" && data.length % 4 === 0 && base64.test(data) ? Buffer.from(data, "base64") : null

export class ManageImages extends Effect.Service<ManageImages>()("belltower/ManageImages", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const images = yield* Images
    const quotas = yield* Quotas
    const links = yield* Links
    const nameOf = yield* makeCallerName
    const slots = makeFairSlots(makeFairQueue<() => void>(checking), unavailable)

    const recordOf = (row: ImageRow): Image => ({ ...row, url: links.image(imageName(row)) })

    const insert = Effect.fnUntraced(function*({ workspaceId }: Caller, row: ImageRow, file: Buffer) {
      yield* quotas.takeCapped(workspaceId, { images: 1 })
      yield* images.insert(workspaceId, row, file)
      return recordOf(row)
    }, transaction)

    /** Fails with `validation_failed` for what is no image, or too large, and above the cap, and with `unavailable`. */
    const upload = Effect.fn("ManageImages.upload")(function*(caller: Caller, { data }: ImageInput) {
      const given = fileOf(data)
      if (given === null) return yield* refused("Expected the file in base64, with its padding")
      if (given.length > largestImage) return yield* refused("The image may have at most 1 MiB. Make it smaller, then try again")
      const { file, height, type, width } = yield* slots(
        caller.workspaceId,
        Effect.mapError(cleanImage(given), refused)
      )
      const id = yield* mint("img", ImageId)
      const by = yield* nameOf(caller)
      const row = { id, type, width, height, bytes: file.length, by, createdAt: yield* DateTime.now }
      return yield* insert(caller, row, file)
    })

    /** Newest first. */
    const list = Effect.fn("ManageImages.list")(function*(workspaceId: WorkspaceId, filter: ImageFilter) {
      const rows = yield* images.list(workspaceId, { ...filter, limit: filter.limit + 1 })
      const { data, next } = listPage(rows, filter.limit)
      return { data: data.map(recordOf), next }
    })

    return {
      upload,
      list,
      /** Fails with `not_found`. */
      remove: (workspaceId: WorkspaceId, id: ImageId) => removed("image", id, images.remove(workspaceId, id))
    }
  })
}) {}

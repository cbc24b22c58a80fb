import type { FileStorage } from '../../routers/base/ports.ts';
import type { Config } from '../config.ts';
import { StartError } from '../failures.ts';
import { cleanUpFolderStorage, openFolderStorage } from './folder-storage.ts';

type StorageConfig = Pick<Config, 'dataDir' | 'bucket'>;

/** Opens the storage of files: the bucket of `FILES_URL`, or else a folder of the data directory. */
export async function openFileStorage({ dataDir, bucket }: StorageConfig): Promise<FileStorage> {
  if (!bucket) return openFolderStorage(dataDir);
  const { openBucketStorage } = await import('./bucket-storage.ts');
  return openBucketStorage(bucket);
}

/**
 * Prepares the storage at the start of a service.
 * @throws StartError if the bucket cannot be used
 */
export async function prepareFileStorage({ dataDir, bucket }: StorageConfig): Promise<void> {
  if (!bucket) return cleanUpFolderStorage(dataDir);
  const { checkBucket } = await import('./bucket.ts');
  try {
    await checkBucket(bucket);
  } catch (error) {
    const { message } =
      (error as Error).cause instanceof Error ? ((error as Error).cause as Error) : (error as Error);
    throw new StartError(message, { cause: error });
  }
}

// Why a backup cannot be checked, or cannot be restored: one line for the person at the terminal.

/** The backup, its place or this machine's programs are not what the check needs. */
export class BackupFault extends Error {
  override readonly name = "BackupFault";
}

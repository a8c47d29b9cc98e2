/*
 * nothing.c: a command that does nothing, so that only its surroundings are timed.
 */
int
main(void)
{
	return 0;
}

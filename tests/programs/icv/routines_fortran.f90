! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! The omp_ routines from Fortran, with default and 8-byte integers and logicals.
module bodies
  use check
  use omp_lib
  use iso_fortran_env, only: int64
  implicit none
contains

  subroutine levels(width) bind(c)
    integer(c_int), value :: width
    integer :: base
    base = omp_get_level()
    !$omp parallel num_threads(width)
    call expect(omp_get_level() == base + 1, "level")
    call expect(omp_get_team_size(base + 1) == width, "team size")
    call expect(omp_get_ancestor_thread_num(base + 1) == omp_get_thread_num(), "ancestor")
    call expect(omp_get_num_threads() == width, "threads")
    call expect(omp_in_parallel() .or. (width == 1 .and. base == 0), "in parallel")
    !$omp end parallel
    call expect(omp_get_level() == base, "back")
  end subroutine levels

  subroutine setters(width) bind(c)
    integer(c_int), value :: width
    integer(omp_sched_kind) :: kind
    integer :: chunk
    call omp_set_num_threads(width + 1)
    call expect(omp_get_max_threads() == width + 1, "max threads")
    !$omp parallel
    call expect(omp_get_num_threads() == width + 1, "set_num_threads")
    !$omp end parallel
    call omp_set_dynamic(.true.)
    call expect(omp_get_dynamic(), "dynamic on")
    call omp_set_dynamic(.false.)
    call expect(.not. omp_get_dynamic(), "dynamic off")
    call omp_set_schedule(omp_sched_dynamic, 7)
    call omp_get_schedule(kind, chunk)
    call expect(kind == omp_sched_dynamic .and. chunk == 7, "schedule")
  end subroutine setters

  subroutine wide_integers(width) bind(c)
    integer(c_int), value :: width
    integer(int64) :: wide
    logical(8) :: yes
    wide = width
    yes = .true.
    call omp_set_num_threads(wide)
    call expect(omp_get_max_threads() == width, "8-byte argument")
    call omp_set_dynamic(yes)
    call expect(omp_get_dynamic(), "8-byte logical")
    yes = .false.
    call omp_set_dynamic(yes)
    call expect(omp_get_ancestor_thread_num(0_int64) == 0, "8-byte level")
    call expect(omp_get_team_size(0_int64) == 1, "8-byte team size")
  end subroutine wide_integers

  subroutine others(width) bind(c)
    integer(c_int), value :: width
    double precision :: before
    character(64) :: text
    integer :: length
    before = omp_get_wtime()
    call expect(omp_get_wtime() >= before .and. omp_get_wtick() > 0, "timing")
    call expect(omp_get_num_procs() >= 1 .and. omp_get_thread_limit() >= width, "limits")
    call expect(.not. omp_in_final() .and. omp_is_initial_device(), "in final, device")
    call expect(.not. omp_get_cancellation(), "cancellation")
    !$omp parallel num_threads(width) private(text, length)
    length = int(omp_capture_affinity(text, "%n of %N"))
    call expect(length > 5 .and. index(text, " of ") > 0, "capture affinity")
    !$omp end parallel
  end subroutine others

end module bodies

program routines_fortran
  use bodies
  call run_check("levels", levels)
  call run_check("setters", setters)
  call run_check("wide-integers", wide_integers)
  call run_check("others", others)
  call finish()
end program routines_fortran

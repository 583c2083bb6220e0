! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! An internal procedure as an actual argument: gfortran builds its code on the stack of the thread that calls.
module bodies
  use check
  use omp_lib
  implicit none
contains

  integer function applied(f)
    interface
      integer function f(x)
        integer, intent(in) :: x
      end function f
    end interface
    applied = f(1)
  end function applied

  integer function sum_of(added)
    integer, intent(in) :: added
    sum_of = applied(add)
  contains
    integer function add(x)
      integer, intent(in) :: x
      add = x + added
    end function add
  end function sum_of

  subroutine in_a_team(width) bind(c)
    integer(c_int), value :: width
    integer :: i, wrong
    wrong = 0
    !$omp parallel num_threads(width) reduction(+: wrong)
    if (sum_of(omp_get_thread_num()) /= omp_get_thread_num() + 1) wrong = wrong + 1
    !$omp barrier
    !$omp do schedule(dynamic)
    do i = 1, 32
      if (sum_of(i) /= i + 1) wrong = wrong + 1
    end do
    !$omp end parallel
    call expect(wrong == 0, "sums")
  end subroutine in_a_team
end module bodies

program internal_procedures
  use bodies
  call run_check("in-a-team", in_a_team)
  call finish()
end program internal_procedures
